"""PULL on a graph whose rows several workers hold."""
