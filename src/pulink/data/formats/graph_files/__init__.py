"""Files that hold a whole graph: nodes, edges and their attributes."""
