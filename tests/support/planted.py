"""Graphs with communities that are known because they were planted."""

from __future__ import annotations

import numpy as np

import pulink


def planted_graph(n_per_block: int, n_blocks: int, p_in: float, p_out: float, seed: int) -> pulink.Graph:
    """Equal blocks; each pair is linked with chance `p_in` inside a block and `p_out` across. Node i of block b
    is number b * n_per_block + i.
    """
    n_nodes = n_per_block * n_blocks
    block = np.repeat(np.arange(n_blocks), n_per_block)
    low, high = np.triu_indices(n_nodes, k=1)
    probability = np.where(block[low] == block[high], p_in, p_out)
    linked = np.random.default_rng(seed).random(len(low)) < probability
    return pulink.Graph.from_edges(np.stack([low[linked], high[linked]], axis=1), n_nodes)


def planted_hubs(n_hubs: int, n_others: int, p_hub: float, p_other: float, seed: int) -> pulink.Graph:
    """Hubs, which come first, are linked to anyone with chance `p_hub`, others among themselves with `p_other`."""
    n_nodes = n_hubs + n_others
    low, high = np.triu_indices(n_nodes, k=1)
    linked = np.random.default_rng(seed).random(len(low)) < np.where(low < n_hubs, p_hub, p_other)
    return pulink.Graph.from_edges(np.stack([low[linked], high[linked]], axis=1), n_nodes)
