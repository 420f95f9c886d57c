"""The best of all pairs, exactly or among pairs that can be best."""
