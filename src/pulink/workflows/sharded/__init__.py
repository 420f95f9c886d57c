"""Answers by the model of a graph in parts, which no machine holds."""
