"""Kernels of a training in which a worker holds the rows of its own nodes, and reads the embeddings of all."""
