"""What workflows say: sentences before and after the work, and lists of links as tables."""
