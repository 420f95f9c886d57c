"""What every method shares: fit, answers, save, limits."""
