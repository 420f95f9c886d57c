"""Commands that measure methods on graphs whose links are known."""
