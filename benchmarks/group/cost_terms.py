"""What PULL's training in a group does in an epoch and in an E-step, counted: the amounts of a cost model.

Everything is counted for one worker of W, in the code of `nn.sharded` and `methods.pull.sharded`: rows of nodes,
entries of the adjacency, drawn pairs, bytes, messages. What each of them costs is fitted: see `cost_model`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# Two histograms of the E-step, and four where scores are tied.
_HISTOGRAMS, _BINS = 6, 65_536
# Rows that stay in a processor's caches, in bytes.
_CACHED = 1 << 20
_FEW = 256 * 8

Amounts = dict[str, float]


@dataclass(frozen=True)
class Work:
    """A graph, a model, and a group.

    n_per_machine  workers of one machine, which share the rows of all nodes
    """

    n_nodes: int
    n_edges: int
    n_features: int
    n_workers: int
    n_per_machine: int
    n_units: int = 16
    n_layers: int = 2
    n_hubs: int = 100
    growth: float = 0.05

    @property
    def n_machines(self) -> int:
        return self.n_workers // self.n_per_machine

    @property
    def n_own(self) -> float:
        """Nodes of a worker."""
        return self.n_nodes / self.n_workers

    def n_added(self, iteration: int) -> float:
        return self.growth * (iteration - 1) * self.n_edges

    def n_terms(self, iteration: int) -> int:
        """Loss terms: the correction comes from the second iteration on."""
        return 1 if iteration == 1 else 2

    def n_publishes(self, iteration: int) -> int:
        """How often rows of all nodes are exchanged in an epoch: forward once more than there are layers."""
        return self.n_terms(iteration) * (2 * self.n_layers + 1)

    @property
    def row(self) -> int:
        """Bytes of a row."""
        return 4 * self.n_units

    @property
    def far(self) -> float:
        """How often the rows of all nodes would have to be halved to fit a cache."""
        return math.log2(max(1.0, self.n_nodes * self.row / _CACHED))

    def n_draws(self, iteration: int) -> float:
        """Non-edges of an epoch: as many as entries, and as many as edges for the correction."""
        return 2 * (self.n_edges + self.n_added(iteration)) + (self.n_edges if iteration > 1 else 0.0)


def epoch_amounts(work: Work, iteration: int) -> Amounts:
    """What a worker computes in one epoch."""
    terms, units, each = work.n_terms(iteration), work.n_units, work.n_workers
    entries = 2 * work.n_edges / each * units * terms * (2 * work.n_layers + 1)
    # Both owners of a pair's ends look at it.
    drawn = work.n_draws(iteration) * (2 / each - 1 / each**2) * units
    dense = 2 * work.n_features * units if work.n_features else 0.0
    return {
        "epoch": float(terms),
        "rows": terms * work.n_own * units * (2 * work.n_layers + 1),
        "entries": entries,
        "far entries": entries * work.far,
        "counters": work.n_draws(iteration),
        "drawn pairs": drawn,
        "far pairs": drawn * work.far,
        "added pairs": work.n_added(iteration) / each * units * (2 * work.n_layers + 1),
        "features": work.n_own * dense,
        "first weights": 0.0 if work.n_features else work.n_own * units,
        "bytes": 2 * epoch_bytes(work, iteration),
        "messages": float(n_gathers(work, iteration) * (each - 1)),
    }


def select_amounts(work: Work) -> Amounts:
    """What a worker computes in the first E-step."""
    cells = work.n_own * work.n_hubs
    return {
        "selection": 1.0,
        "cells": cells * work.n_units,
        "counted cells": cells,
        "closed entries": 2 * work.n_edges / work.n_workers,
        "selected cells": work.n_added(2) / work.n_workers,
    }


def exchange_bytes(work: Work) -> float:
    """Bytes that a machine sends when rows are exchanged once: its own to every other machine."""
    return (work.n_machines - 1) * work.n_nodes / work.n_machines * work.row


def epoch_bytes(work: Work, iteration: int) -> float:
    """Bytes that a worker sends in an epoch, on average over the workers of a machine."""
    exchanged = work.n_publishes(iteration) * exchange_bytes(work) / work.n_per_machine
    return exchanged + gathered_bytes(work, iteration)


def gathered_bytes(work: Work, iteration: int) -> float:
    """Bytes of small messages in an epoch: sums, counts, draws that hit a connected pair."""
    terms, units, layers = work.n_terms(iteration), work.n_units, work.n_layers
    of_layers = terms * ((layers - 1) * units**2 + layers * units) + work.n_features * units
    of_hubs = n_hub_sums(work, iteration) * work.n_hubs * units
    losses = 8 * (terms * 256 / work.n_workers + 1)
    rejected = sum(8 * n for n in _rejected(work, iteration) if n >= _FEW / 8)
    return (work.n_workers - 1) * (
        4 * (of_layers + of_hubs) + losses + rejected + _FEW * _n_rounds(work, iteration)
    )


def n_hub_sums(work: Work, iteration: int) -> int:
    """Sums over the pairs of hubs: in products over the expected graph, and in the gradients of both terms."""
    return 0 if iteration == 1 else 2 * work.n_layers + 2


def n_gathers(work: Work, iteration: int) -> int:
    """Small messages to all in an epoch."""
    return n_hub_sums(work, iteration) + _n_rounds(work, iteration) + 2


def n_barriers(work: Work, iteration: int) -> int:
    """Workers of one machine wait for each other before rows are exchanged, and after."""
    if work.n_per_machine == 1:
        return 0
    return work.n_publishes(iteration) * (2 if work.n_machines > 1 else 1)


def select_bytes(work: Work) -> float:
    """Bytes that a worker sends in an E-step."""
    histograms = 2 * 8 * _BINS * _HISTOGRAMS if work.n_workers > 1 else 0
    return histograms + exchange_bytes(work) / work.n_per_machine


def _rejected(work: Work, iteration: int) -> list[float]:
    """Draws of one worker that hit a connected pair, round after round, until there are none."""
    density = min(0.5, 2 * (work.n_edges + work.n_added(iteration)) / work.n_nodes**2)
    found = []
    for n_draws in (work.n_draws(1), work.n_edges)[: work.n_terms(iteration)]:
        left = float(n_draws) * density
        while left >= 0.5:
            found.append(left / work.n_workers)
            left *= density
        found.append(0.0)
    return found


def _n_rounds(work: Work, iteration: int) -> int:
    return len(_rejected(work, iteration))
