"""Processes that work on one thing as a group: who holds which rows, and what they tell each other."""
