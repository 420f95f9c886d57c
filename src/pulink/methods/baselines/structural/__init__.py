"""Networks that look at the structure around a pair."""
