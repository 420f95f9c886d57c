"""A graph that no machine can hold: made of parts by many, and kept as a graph folder."""
