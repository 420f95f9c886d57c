"""One run of learning: what it is given, what it returns, when it stops, how it is shown."""
