"""What we ask of the operating system: files, folders, memory, the user's cache."""
