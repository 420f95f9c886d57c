"""The server of `pulink explore`."""
