"""Reading decision trees: sums of leaves, and what the way to them adds."""
