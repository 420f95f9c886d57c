"""Graph autoencoders."""
