"""Everything that --method can name."""
