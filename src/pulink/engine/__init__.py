"""Arithmetic without learning: arrays in, arrays out."""
