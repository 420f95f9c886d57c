"""Arrays in NumPy archives, and the folders of OGB."""
