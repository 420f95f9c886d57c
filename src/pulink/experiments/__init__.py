"""Experiments as data, and the runner that works through them."""
