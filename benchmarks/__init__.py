"""What is compared with what, and how. Run with `make bench`."""
