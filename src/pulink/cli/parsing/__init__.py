"""What is typed: options that several commands share, and how their words are read."""
