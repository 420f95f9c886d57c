"""A review on a terminal: keys and questions."""
