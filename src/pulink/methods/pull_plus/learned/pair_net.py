"""A network that scores a pair by the attributes of both ends and of those around them.

    Z = [Y, S Y, S² Y]                   Y (n x c) leading components of the attributes, S = D^-1/2 (A + I) D^-1/2
    h_i = W_2 relu(W_1 z_i)              z_i the row of Z, columns brought to mean 0 and variance 1
    logit of a pair = w · relu(V (h_i ⊙ h_j))

No pair learns from its own edge: edges are dealt into parts, and those of a part are learned by Z of the graph
without them, against drawn non-edges. Weights belong to no node, so that a network which was trained on one graph
scores pairs of another on the same nodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.pace import paced
from pulink.engine.random import permutation, random_words, stream_key
from pulink.graph.graph import Edges, Graph
from pulink.nn.adam import Adam
from pulink.nn.mlp import PairNetwork, from_state, to_state

F32 = npt.NDArray[np.float32]
State = dict[str, npt.NDArray[Any]]

_N_PARTS = 4
N_HOPS = 2
FEWEST_STEPS = 200
_CHUNK = 1 << 15
# Which share of the steps grow.
_RISE = 0.3
# Products of fewer rows round otherwise, and a logit would depend on its company.
_LEAST_ROWS = 16
_FLAT = 1e-8
_ENDS, _PAIRS = "ends.", "pairs."


@dataclass(frozen=True)
class PairNetConfig:
    """How it is trained.

    n_units       of its layers
    n_steps       gradient steps
    dropout       the share of units that a step leaves out
    batch         edges in a step, and as many non-edges
    rate          how large steps are at most
    most_passes   how often each edge is drawn at most, where that is more than `FEWEST_STEPS`; None: no bound
    n_components  of a node, for which so many units are enough; None: any number
    """

    n_units: int
    n_steps: int
    dropout: float = 0.0
    batch: int = 512
    rate: float = 0.01
    most_passes: int | None = None
    n_components: int | None = None

    def fitting(self, n_components: int, n_edges: int) -> PairNetConfig:
        """As wide as there is more to read, and with fewer steps where edges are few.

        On PubMed, 70/10/20, 128 units for 64 raised Hits@100 of the validation edges from 81.3 to 82.2 (three
        splits). On Cora 200 steps did as well as 900.
        """
        wider = 1 if self.n_components is None else max(1, n_components // self.n_components)
        n_steps = self.n_steps
        if self.most_passes is not None:
            n_steps = min(n_steps, max(FEWEST_STEPS, self.most_passes * n_edges // self.batch))
        return replace(self, n_units=wider * self.n_units, n_steps=n_steps, n_components=None)


class PairNet(nn.Module):
    """The two networks, and how the columns of their inputs are scaled (3c each)."""

    means: Tensor
    spreads: Tensor

    def __init__(self, n_columns: int, config: PairNetConfig, seed: int) -> None:
        super().__init__()
        width = config.n_units
        self.register_buffer("means", torch.zeros(n_columns))
        self.register_buffer("spreads", torch.ones(n_columns))
        self.ends = PairNetwork([n_columns, width, width], seed, "pair net ends", dropout=config.dropout)
        self.pairs = PairNetwork([width, width // 2, 1], seed, "pair net pairs", dropout=config.dropout)

    @classmethod
    def trained_on(cls, graph: Graph, components: F32, config: PairNetConfig, seed: int) -> PairNet:
        """On all edges of a graph, for a fixed number of steps; as it begins, where there are no edges."""
        parts = _parts(graph, seed)
        inputs = [around(kept.adjacency, components) for _, kept in parts or [(graph.edges, graph)]]
        net = cls(inputs[0].shape[1], config, seed)
        net._scale_by(inputs[0])
        if not parts:
            return net
        scaled = [net._scaled(rows) for rows in inputs]
        optimizer = Adam(net.parameters(), config.rate)
        batches = _batches(graph, [edges for edges, _ in parts], config.batch, seed)
        for step in paced(range(config.n_steps)):
            part, pairs, labels = next(batches)
            optimizer.zero_grad()
            optimizer.rate = config.rate * _step_size(step / config.n_steps)
            logits = net._logits(scaled[part], pairs, stream_key(seed, "pair net units", step))
            nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        return net

    def reads(self, components: F32 | None) -> bool:
        """Whether it was made for components of this kind (n x c)."""
        return components is not None and len(self.means) == (1 + N_HOPS) * components.shape[1]

    def _scale_by(self, rows: F32) -> None:
        self.means = torch.from_numpy(rows.mean(axis=0, dtype=np.float64).astype(np.float32))
        spreads = rows.std(axis=0, dtype=np.float64).astype(np.float32)
        self.spreads = torch.from_numpy(np.where(spreads > _FLAT, spreads, np.float32(1)))

    def _scaled(self, rows: F32) -> Tensor:
        return (torch.from_numpy(rows) - self.means) / self.spreads

    def _logits(self, rows: Tensor, pairs: Tensor, key: np.uint64) -> Tensor:
        ends = self.ends(rows[pairs.T.reshape(-1)], key)
        first, second = ends[: len(pairs)], ends[len(pairs) :]
        logits: Tensor = self.pairs(first * second, key)
        return logits.squeeze(1)

    def vectors(self, graph: Graph, components: F32) -> F32:
        """h of every node on a graph (n x units)."""
        rows = around(graph.adjacency, components)
        found = np.empty((len(rows), len(self.ends.layers[-1].bias)), dtype=np.float32)  # type: ignore[arg-type]
        with torch.no_grad():
            for start in range(0, len(rows), _CHUNK):
                part = slice(start, start + _CHUNK)
                found[part] = self.ends(self._scaled(rows[part])).numpy()
        return found

    def logits(self, vectors: F32, pairs: npt.NDArray[np.int64]) -> F32:
        """Of each pair (k)."""
        found = np.empty(len(pairs), dtype=np.float32)
        ends = torch.from_numpy(vectors)
        with torch.no_grad():
            for start in range(0, len(pairs), _CHUNK):
                some = pairs[start : start + _CHUNK]
                rows = torch.from_numpy(np.resize(some, (max(len(some), _LEAST_ROWS), 2)))
                logits = self.pairs(ends[rows[:, 0]] * ends[rows[:, 1]])
                found[start : start + _CHUNK] = logits.numpy()[: len(some), 0]
        return found

    def state(self) -> State:
        """All arrays by name."""
        return to_state(self)

    @classmethod
    def from_state(cls, state: State) -> PairNet:
        """What `state` gave; ValueError if it cannot be."""
        shapes = {name: array.shape for name, array in state.items()}
        first = shapes.get(f"{_ENDS}layers.0.weight", ())
        # Before anything is made by them: a small array can tell of layers that fill the memory.
        if len(first) != 2 or min(first) < 1 or shapes != _shapes(*first):
            raise ValueError("its network of pairs is not whole")
        net = cls(first[0], PairNetConfig(first[1], 0), 0)
        from_state(net, state)
        return net


def _step_size(passed: float) -> float:
    """Of a step after this share of all, relative to the largest one: it rises, then falls, along cosines."""
    if passed < _RISE:
        return 0.52 - 0.48 * math.cos(math.pi * passed / _RISE)
    return 0.5 + 0.5 * math.cos(math.pi * (passed - _RISE) / (1.0 - _RISE))


def _shapes(n_columns: int, width: int) -> dict[str, tuple[int, ...]]:
    """Of all arrays of a network, by name."""
    found: dict[str, tuple[int, ...]] = {"means": (n_columns,), "spreads": (n_columns,)}
    for prefix, sizes in ((_ENDS, (n_columns, width, width)), (_PAIRS, (width, width // 2, 1))):
        for layer, (n_in, n_out) in enumerate(pairwise(sizes)):
            found |= {f"{prefix}layers.{layer}.weight": (n_in, n_out), f"{prefix}layers.{layer}.bias": (n_out,)}
    return found


def around(adjacency: Adjacency, components: F32) -> F32:
    """Z: components of each node, and those around it within two steps (n x 3c)."""
    steps = propagation_operator(replace(adjacency, values=None))
    hops = [torch.from_numpy(components)]
    for _ in range(N_HOPS):
        hops.append(steps.times(hops[-1]))
    return torch.cat(hops, dim=1).numpy()


def _parts(graph: Graph, seed: int) -> list[tuple[Edges, Graph]]:
    """The edges of each part, and the graph without them."""
    n_parts = min(_N_PARTS, graph.n_edges)
    dealt = np.empty(graph.n_edges, dtype=np.int64)
    dealt[permutation(stream_key(seed, "pair net parts"), graph.n_edges)] = (
        np.arange(graph.n_edges) * n_parts // graph.n_edges
    )
    return [(graph.edges[dealt == part], graph.keep_edges(dealt != part)) for part in range(n_parts)]


def _batches(graph: Graph, parts: list[Edges], size: int, seed: int) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Without end: a part, edges of it and as many non-edges (2b x 2), and their labels; parts take turns."""
    sampler = graph.pair_space.sampler(graph.adjacency)
    step = 0
    while True:
        part = step % len(parts)
        words = random_words(stream_key(seed, "pair net edges", step), size)
        edges = parts[part][(words % np.uint64(len(parts[part]))).astype(np.int64)]
        others = sampler.draw(size, stream_key(seed, "pair net non-edges", step))
        labels = torch.cat([torch.ones(len(edges)), torch.zeros(len(others))])
        yield part, torch.from_numpy(np.concatenate([edges, others]).astype(np.int64)), labels
        step += 1
