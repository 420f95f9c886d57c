"""What a user asks for, typed and without a terminal."""
