"""Simulated reviews: how much answers of a person tell of a graph whose missing links are known."""
