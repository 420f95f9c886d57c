"""What answers of people about drawn pairs tell."""
