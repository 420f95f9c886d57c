"""What workers do besides training where none of them holds a whole graph: hide edges, calibrate, search."""
