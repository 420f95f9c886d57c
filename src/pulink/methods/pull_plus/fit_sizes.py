"""How large what a fit works on is, before any of it is made."""

from __future__ import annotations

from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.methods.pull_plus.candidates import n_given
from pulink.methods.pull_plus.effort import FitSettings
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.methods.pull_plus.quantities.pairs import RANKS
from pulink.methods.pull_plus.training_set import ENOUGH_EDGES, n_used
from pulink.predictor.costs import STEPS, Sizes, encoder_sizes
from pulink.predictor.walk_candidates import n_walked


def fit_sizes(graph: Graph, settings: FitSettings, n_cells: float, refit: bool, exact_pairs: int) -> Sizes:
    """See `PULLPlus.sizes`.

    n_cells      what looking at one graph takes
    exact_pairs  up to so many unconnected pairs, all are scored
    """
    n_folds = min(settings.n_folds, graph.n_edges)
    n_taught = n_used(graph.n_edges, n_folds, settings.max_folds)
    n_hidden = min(ENOUGH_EDGES, n_taught * -(-graph.n_edges // n_folds))
    n_graphs = n_taught + 1 + refit * (1 if graph.kind == UNDIRECTED else 1 + n_taught)
    n_candidates = min(n_given(graph), graph.n_pairs)
    n_rows = n_hidden * (1 + settings.far_per_edge + settings.near_per_edge)
    n_free = graph.n_pairs - graph.n_edges
    return {
        **encoder_sizes(graph, settings.n_units, 2),
        STEPS: n_graphs * len(ENCODERS) * settings.n_epochs,
        "vectors": graph.n_nodes * (2 * max(RANKS) + 2 * settings.n_units),
        "candidates": n_candidates,
        "searched": n_free if n_free <= exact_pairs else n_candidates,
        "lessons": n_rows,
        "tree_rows": (n_rows + n_candidates) * settings.n_trees * (2 + settings.max_rounds),
        "view_candidates": n_graphs * n_candidates,
        "view_cells": n_graphs * n_cells,
        "view_walks": n_graphs * n_walked(graph.without_direction.adjacency),
    }
