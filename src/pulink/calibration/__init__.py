"""Scores -> probabilities, how many links are missing, how far to trust a list."""
