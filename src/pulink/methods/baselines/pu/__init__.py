"""Positive-unlabelled learning with a graph network."""
