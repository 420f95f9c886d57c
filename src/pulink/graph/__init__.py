"""What a graph is, how edges are hidden from it, and pairs of its nodes."""
