"""Kinds of graphs: what a pair is in each."""
