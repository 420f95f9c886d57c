"""A review: people answer which pairs are links, and what that tells."""
