"""Trees, what they score, and the rounds in which they are grown."""
