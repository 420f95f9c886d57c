"""What the four kinds of graphs are called; apart, because the command line needs no more to explain itself."""

from __future__ import annotations

UNDIRECTED, DIRECTED, BIPARTITE, TYPED = KINDS = ("undirected", "directed", "bipartite", "typed")
