"""The page of one `find`."""
