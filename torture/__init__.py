"""Attempts to break pulink that take minutes; `make torture` runs them."""
