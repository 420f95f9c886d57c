"""The two streams, Ctrl-C, and what to type to run a command again."""
