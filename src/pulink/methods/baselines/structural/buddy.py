"""BUDDY: sketched neighbourhoods and propagated features, both computed before training (Chamberlain et al. 2023).

    B[a, b]     sketched number of nodes a steps from i and b steps from j; a, b = 1, 2 or more, not both more
    P_k         X_k[i] * X_k[j], entry by entry, X_k = S^k X, k = 0, 1, 2
    logit       join( layer(log(1 + B)) ‖ layer(P_0 ‖ P_1 ‖ P_2) ),  layer = dropout(relu(norm(· W + b)))

Shapes: B has 8 cells for two hops. X has at most `n_columns` columns: the leading components of the scaled
features, where those have more. Each layer has `n_units`. Without node features the second layer is left out. The
end with more neighbours stands first in B, so that the numbering of the nodes plays no part.

A departure from the published code, where counts and features of training edges contain the edge itself and only
the most telling cells are set to zero: here both are those of the graph without the pair's own edge, exactly (see
`sketches.py` and `hop_products.py` in `engine/structure`), so that what is learned carries over to held-out pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.engine.random import stream_key
from pulink.engine.structure.hop_products import HopProducts, propagated
from pulink.engine.structure.leading_components import leading_components
from pulink.engine.structure.sketches import (
    MAX_HOPS,
    Sketches,
    ball_overlaps,
    build_sketches,
    distance_counts,
    sketch_bytes,
)
from pulink.errors import ParameterError
from pulink.graph.graph import Graph
from pulink.nn.edge_batches import EdgeBatches, batch_count
from pulink.nn.inputs import SCALINGS, scale_features
from pulink.nn.mlp import PairNetwork, from_state, to_state
from pulink.nn.resumable import Part, Resumable
from pulink.predictor.costs import STEPS, Sizes, require_room
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.pair_scorer import PairScorer, in_fixed_batches
from pulink.predictor.parameters import check_choice, check_count, check_positive, check_share

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.integer]

_SCORED_AT_ONCE = 4096


@dataclass(kw_only=True, eq=False, repr=False)
class BUDDY(PairScorer):
    """Link prediction from sketched neighbourhoods and propagated features.

    Parameters
    ----------
    n_hops : int
        Steps around each node, 1 or 2.
    n_columns : int
        Features with more columns than this are reduced to so many leading components.
    n_units : int
        Width of the layers.
    dropout : float
        Share of units dropped in training.
    batch_size : int
        Training edges per gradient step; an epoch is a pass over all of them.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.BUDDY(n_hops=1, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_hops: int = 2
    n_columns: int = 128
    n_units: int = 64
    dropout: float = 0.5
    learning_rate: float = 0.01
    batch_size: int = 8192
    feature_scaling: str = "auto"
    max_epochs: int = 100
    min_epochs: int = 30
    patience: int = 10

    _sketched: tuple[Graph, int, int, Sketches] | None = field(init=False, default=None)

    def _check_params(self) -> None:
        super()._check_params()
        check_count("n_hops", self.n_hops, 1)
        if self.n_hops > MAX_HOPS:
            raise ParameterError(f"n_hops must be 1 or {MAX_HOPS}, got {self.n_hops}")
        for name in ("n_columns", "n_units", "batch_size"):
            check_count(name, getattr(self, name), 1)
        check_positive("learning_rate", self.learning_rate)
        check_share("dropout", self.dropout)
        check_choice("feature_scaling", self.feature_scaling, SCALINGS)

    def _refuse(self, graph: Graph) -> None:
        require_room(self, graph, f"sketching {graph.n_nodes:,} nodes", "gcn-ce or l3n need less")

    def sizes(self, graph: Graph) -> Sizes:
        """sketches: their bytes; hops: propagated features; batch: numbers of a batch's pairs."""
        sizes = super().sizes(graph)
        n_batches = batch_count(graph.n_edges, self.batch_size)
        n_columns = (self.n_hops + 1) * min(graph.n_features, self.n_columns)
        return sizes | {
            STEPS: sizes[STEPS] * n_batches,
            "sketches": sketch_bytes(graph.n_nodes, self.n_hops),
            "hops": graph.n_nodes * n_columns,
            "batch": graph.n_edges / n_batches * (self.n_units + n_columns),
        }

    def _training(self, train: Graph) -> _Training:
        hops = self._hops(train)
        inputs = _Inputs(train, self._sketches(train), hops)
        return _Training(self, train, inputs, self._network(hops), {} if hops is None else {"hops": hops})

    def _state_scores(self, state: State, graph: Graph, pairs: Pairs) -> npt.NDArray[np.float64]:
        hops = state.get("hops")
        inputs = _Inputs(graph, self._sketches(graph), hops)
        network = self._network(hops)
        from_state(network, state, "network.")
        return in_fixed_batches(
            lambda part: network(inputs.counts(part), inputs.products(part)),
            pairs,
            _SCORED_AT_ONCE,
            graph.pair_space,
        )

    def _sketches(self, graph: Graph) -> Sketches:
        """Of this graph; the last ones are kept, because every look at validation edges needs them."""
        kept = self._sketched
        if kept is None or kept[0] is not graph or kept[1:3] != (self.n_hops, self.seed):
            key = stream_key(self.seed, "sketches")
            kept = (graph, self.n_hops, self.seed, build_sketches(graph.adjacency, self.n_hops, key))
            self._sketched = kept
        return kept[3]

    def _hops(self, graph: Graph) -> F32 | None:
        """X_0 .. X_K (n x (K+1) x d), with entries around 1; None without features."""
        if not graph.n_features:
            return None
        matrix = scale_features(graph.features, self.feature_scaling)
        if matrix.shape[1] > self.n_columns:
            matrix = leading_components(matrix, self.n_columns, stream_key(self.seed, "components"))
        dense = np.asarray(matrix if isinstance(matrix, np.ndarray) else matrix.toarray(), dtype=np.float64)
        size = float(np.sqrt(np.mean(dense**2)))
        return propagated(graph.adjacency, (dense / (size or 1.0)).astype(np.float32), self.n_hops)

    def _grown_state(self, new_nodes: NewNodes) -> State:
        hops = self.state_.get("hops")
        if hops is None:
            return self.state_
        rows = new_nodes.appended(hops[:, 0], self._first_rows(new_nodes, hops[: new_nodes.n_fitted, 0]))
        return self.state_ | {"hops": propagated(new_nodes.graph.adjacency, rows, hops.shape[1] - 1)}

    def _first_rows(self, new_nodes: NewNodes, known: F32) -> F32:
        """X_0 of all nodes, by the scale or the directions that give the known rows of the nodes of the fit."""
        inputs: Any = new_nodes.inputs(self.feature_scaling)
        if inputs.shape[1] > known.shape[1]:
            inputs = inputs @ (inputs[: new_nodes.n_fitted].T @ known)
        dense = np.asarray(inputs if isinstance(inputs, np.ndarray) else inputs.toarray(), dtype=np.float64)
        fitted_rows = dense[: new_nodes.n_fitted]
        lengths = (fitted_rows * fitted_rows).sum(axis=0)
        scale = (fitted_rows * known).sum(axis=0) / np.where(lengths > 0, lengths, 1.0)
        return np.asarray(dense * scale, dtype=np.float32)

    def _network(self, hops: F32 | None) -> BuddyNetwork:
        n_products = 0 if hops is None else hops.shape[1] * hops.shape[2]
        return BuddyNetwork(self.n_hops * (self.n_hops + 2), n_products, self.n_units, self.dropout, self.seed)


class BuddyNetwork(nn.Module):
    """One layer for counts, one for products, and two that join them into a logit."""

    def __init__(self, n_counts: int, n_products: int, n_units: int, dropout: float, seed: int) -> None:
        super().__init__()
        self.structure = PairNetwork(
            [n_counts, n_units], seed, "structure", normalise=True, dropout=dropout, final_relu=True
        )
        self.features = None
        if n_products:
            self.features = PairNetwork(
                [n_products, n_units], seed, "features", normalise=True, dropout=dropout, final_relu=True
            )
        self.join = PairNetwork([2 * n_units if n_products else n_units, n_units, 1], seed, "join")

    def forward(self, counts: Tensor, products: Tensor | None, key: np.uint64 | None = None) -> Tensor:
        hidden = self.structure(counts, _sub(key, "structure"))
        if self.features is not None:
            hidden = torch.cat([hidden, self.features(products, _sub(key, "features"))], dim=1)
        return self.join(hidden, _sub(key, "join"))[:, 0]  # type: ignore[no-any-return]


def _sub(key: np.uint64 | None, name: str) -> np.uint64 | None:
    return None if key is None else stream_key(int(key), name)


class _Inputs:
    """What the network reads of pairs, over one graph."""

    def __init__(self, graph: Graph, sketches: Sketches, hops: F32 | None) -> None:
        self._adjacency, self._sketches = graph.adjacency, sketches
        self._products = None if hops is None else HopProducts(graph.adjacency, hops)

    def counts(self, pairs: Pairs) -> Tensor:
        """log(1 + B) (p x K (K + 2))."""
        cells = _larger_end_first(distance_counts(ball_overlaps(self._sketches, self._adjacency, pairs)))
        # The width is spelled out: of no pairs it cannot be guessed.
        return torch.from_numpy(np.log1p(cells.reshape(len(pairs), math.prod(cells.shape[1:]))[:, :-1]))

    def products(self, pairs: Pairs) -> Tensor | None:
        return None if self._products is None else torch.from_numpy(self._products.of(pairs))


def _larger_end_first(counts: F32) -> F32:
    """Cells mirrored where the second end has more nodes at one step."""
    mirrored = counts[:, 0].sum(axis=1) < counts[:, :, 0].sum(axis=1)
    return np.where(mirrored[:, None, None], counts.transpose(0, 2, 1), counts)


class _Training(Resumable):
    def __init__(self, model: BUDDY, graph: Graph, inputs: _Inputs, network: BuddyNetwork, kept: State) -> None:
        self.n_steps = 0
        self._seed, self._inputs, self._network, self._kept = model.seed, inputs, network, kept
        self._batches = EdgeBatches(graph, model.batch_size, model.seed)
        self._counts = inputs.counts(graph.edges)
        self._optimizer = torch.optim.Adam(network.parameters(), lr=model.learning_rate, fused=True)

    def advance(self, n_epochs: int) -> None:
        for _ in range(n_epochs):
            for batch in self._batches.epoch(self.n_steps // self._batches.n_batches):
                others = self._inputs.counts(batch.pairs[len(batch.chosen) :])
                counts = torch.cat([self._counts[batch.chosen], others])
                key = stream_key(self._seed, "dropout", self.n_steps)
                logits = self._network(counts, self._inputs.products(batch.pairs), key)
                self._optimizer.zero_grad(set_to_none=True)
                loss = nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)
                loss.backward()  # type: ignore[no-untyped-call]
                self.loss = float(loss.detach())
                self._optimizer.step()
                self.n_steps += 1

    def parts(self) -> dict[str, Part]:
        return {"network": self._network, "optimizer": self._optimizer}

    def snapshot(self) -> State:
        return to_state(self._network, "network.") | self._kept
