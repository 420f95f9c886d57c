"""Scores that need no training: one file per formula, or per family of formulas."""
