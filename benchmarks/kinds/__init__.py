"""Rivals on directed and two-sided graphs, on the same splits as ours."""
