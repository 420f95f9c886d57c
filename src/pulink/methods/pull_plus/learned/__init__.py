"""What is trained before trees are: encoders, and a network of pairs."""
