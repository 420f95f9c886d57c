"""Answers by the model of a graph in parts: only what they look at is read."""
