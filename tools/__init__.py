"""What is made once in a while and kept in the repository: python -m tools.NAME."""
