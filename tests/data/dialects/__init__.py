"""Files as people and programs write them."""
