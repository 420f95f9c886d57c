"""What surrounds a pair in the graph: neighbours, walks, subgraphs, spectra."""
