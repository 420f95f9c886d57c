"""How large what a fit works on is, before any of it is made."""

from __future__ import annotations

from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.methods.pull_plus.attribute_signals import n_leading
from pulink.methods.pull_plus.candidates import n_cells_searched, n_given
from pulink.methods.pull_plus.effort import FitSettings
from pulink.methods.pull_plus.pair_signals import SignalConfig, n_eigenpairs
from pulink.methods.pull_plus.quantities.pairs import LATEST_RANKING, RANKINGS
from pulink.methods.pull_plus.signals import SPECTRUM
from pulink.methods.pull_plus.training_set import ENOUGH_EDGES, group_size, n_used
from pulink.predictor.costs import STEPS, Sizes, encoder_sizes, n_entries
from pulink.predictor.walk_candidates import n_walked


def fit_sizes(
    graph: Graph, settings: FitSettings, config: SignalConfig, wedges: float, refit: bool, exact_pairs: int
) -> Sizes:
    """See `PULLPlus.sizes`.

    wedges       pairs of neighbours of the same node, both ways
    exact_pairs  up to so many unconnected pairs, all are scored
    """
    n_folds = min(settings.n_folds, graph.n_edges)
    n_taught = n_used(graph.n_edges, n_folds, settings.max_folds)
    n_groups = -(-n_taught // group_size(n_folds, n_taught, settings.most_unseen))
    n_hidden = min(ENOUGH_EDGES, n_taught * -(-graph.n_edges // n_folds))
    n_graphs = n_taught + 1 + refit * (1 if graph.kind == UNDIRECTED else 1 + n_taught)
    n_candidates = min(n_given(graph), graph.n_pairs)
    n_rows = n_hidden * (1 + settings.far_per_edge + settings.near_per_edge)
    n_free = graph.n_pairs - graph.n_edges
    n_searched = n_free if n_free <= exact_pairs else n_candidates
    # Of the training set, of the validation set, and of the list.
    signalled = float(n_rows + n_candidates + n_searched)
    n_nodes, n_stored = max(graph.n_nodes, 1), n_entries(graph)
    ranks = n_eigenpairs(graph.n_nodes) if SPECTRUM in config.families else 0
    ranked = RANKINGS[LATEST_RANKING]
    by_columns = graph.n_nodes <= ranked.most_nodes
    cells, near = n_cells_searched(graph, config)
    return {
        **encoder_sizes(graph, settings.n_units, 2),
        STEPS: n_groups * len(config.encoders) * config.n_epochs,
        "vectors": graph.n_nodes * (2 * ranks + 2 * settings.n_units),
        "candidates": n_candidates,
        "searched": n_searched,
        "lessons": n_rows,
        "tree_rows": n_rows * settings.n_trees * (2 + settings.max_rounds),
        "tree_reads": signalled * settings.n_trees,
        "net_units": n_groups * _net_work(graph, config),
        "signalled": signalled,
        "signalled_around": signalled * wedges / n_nodes,
        "attributed": signalled * n_stored / n_nodes,
        "attributed_around": signalled * n_stored / n_nodes * 2 * graph.n_edges / n_nodes,
        "ranked": n_graphs * float(graph.n_nodes) * graph.n_edges if by_columns else 0.0,
        "pushed": 0.0 if by_columns else signalled,
        "view_candidates": n_graphs * n_candidates,
        "view_cells": n_graphs * cells,
        "view_near": n_graphs * near,
        "view_walks": n_graphs * n_walked(graph.without_direction.adjacency),
        "view_wedges": n_graphs * wedges,
        "view_messages": n_graphs * float(ranks) * graph.n_edges,
        "view_columns": n_graphs * float(ranks) ** 2 * graph.n_nodes,
    }


def _net_work(graph: Graph, config: SignalConfig) -> float:
    """Products of numbers that training the network of pairs takes, once."""
    net = config.pair_net
    if net is None or not n_entries(graph):
        return 0.0
    columns = 3.0 * min(n_leading(graph.n_nodes), graph.n_features)
    return float(net.n_steps) * net.batch * 4 * net.n_units * (columns + net.n_units)
