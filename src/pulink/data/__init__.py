"""Files and tables become a Graph here, and nowhere else."""
