"""Node columns -> features."""
