"""A GCN trained by several workers, each with the rows of its own nodes."""
