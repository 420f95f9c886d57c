"""Products and losses with gradients of their own."""
