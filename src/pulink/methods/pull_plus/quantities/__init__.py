"""What signals are computed from: of a graph once, of a batch of pairs once."""
