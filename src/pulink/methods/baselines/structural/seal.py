"""SEAL: a graph network reads the subgraph around a pair (Zhang and Chen 2018).

For a pair (x, y) with its enclosing subgraph of s nodes, without the edge x – y (engine/structure/enclosing.py):

    H_0 = E[label] + X W                              s x d; E[label] alone where there are no node features
    H_l = relu(S H_{l-1} W_l + b_l),  l = 1 .. L      S = D^-1/2 (A + I) D^-1/2 of the subgraph
    score = MLP(h_x ∘ h_y)                            h: a node's rows of H_1 .. H_L side by side, and with
                                                      features that of H_0

That is `pooling="centre"`. With "sort" (after DGCNN) the nodes of the subgraph are sorted by the last number of
their row, and the first 30 rows are read in that order, whichever nodes they are. The subgraphs of a batch are
blocks of one matrix. Edge weights are not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.calibration.pair_sample import SAMPLE
from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.random import normals, stream_key, uniforms
from pulink.engine.structure.enclosing import EnclosingSubgraphs, enclosing_subgraphs
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.nn.edge_batches import EdgeBatches, batch_count
from pulink.nn.inputs import SCALINGS, FeatureInput
from pulink.nn.mlp import Linear, PairNetwork, from_state, to_state, whole_lanes
from pulink.nn.resumable import Part, Resumable
from pulink.predictor.costs import STEPS, Sizes, encoder_sizes, require_room
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.pair_scorer import Pairs, PairScorer, Scores, in_fixed_batches
from pulink.predictor.parameters import check_choice, check_count, check_positive, check_share

POOLINGS = ("centre", "sort")

# Larger labels than this are rare, and share one vector.
_N_LABELS = 32
_N_SORTED, _SORTED_UNITS = 30, 16
_BATCH_EDGES, _FEWEST_BATCHES, _MOST_BATCHES = 64, 5, 32
_SCORED_TOGETHER, _SCORED_NUMBERS = 32, 1 << 22
_BLOCK_ROWS = 512
_NETWORK, _PROJECTED, _PROJECTION = "network.", "projected", "projection"
_LONGEST = 3_600.0
_N_TRIED = 64
_STEP_SECONDS, _PRODUCT_SECONDS, _TRAINING_FACTOR = 5e-9, 3e-10, 1.5


@dataclass(kw_only=True, eq=False, repr=False)
class SEAL(PairScorer):
    """A graph convolutional network over the labelled subgraph around each pair.

    Epochs are costly here, and few are needed: the stopping rule is tighter than in other methods.

    Parameters
    ----------
    n_hops : int
        How many steps around its ends a pair's subgraph reaches.
    max_nodes : int
        How many nodes each step may add; a fixed draw where there are more.
    n_units, n_layers : int
        Width and depth of the network.
    pooling : str
        "centre": read the two ends; "sort": read 30 nodes in the order of their last number.
    train_share : float
        The share of training edges that an epoch takes, fresh ones each time, with as many non-edges; but at least
        5 batches, and at most 32 batches of 64 edges.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.SEAL(n_hops=1, max_epochs=1).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_hops: int = 2
    max_nodes: int = 50
    n_units: int = 32
    n_layers: int = 3
    pooling: str = "centre"
    train_share: float = 0.1
    learning_rate: float = 0.005
    feature_scaling: str = "auto"
    max_epochs: int = 100
    min_epochs: int = 30
    patience: int = 3
    check_every: int = 5

    exact_pairs: ClassVar[int] = 100_000

    def _check_params(self) -> None:
        super()._check_params()
        for name in ("n_hops", "max_nodes", "n_units", "n_layers"):
            check_count(name, getattr(self, name), 1)
        check_choice("pooling", self.pooling, POOLINGS)
        check_share("train_share", self.train_share)
        check_positive("learning_rate", self.learning_rate)
        check_choice("feature_scaling", self.feature_scaling, SCALINGS)

    def _refuse(self, graph: Graph) -> None:
        what = f"SEAL on {graph.n_nodes:,} nodes and {graph.n_features:,} features"
        require_room(self, graph, what, "use fewer units or a smaller graph")
        seconds = self._expected_seconds(graph)
        if seconds > _LONGEST:
            raise InputError(
                f"SEAL reads a subgraph for each pair and would take about {seconds / 3600:.1f} hours on "
                f"{graph.n_nodes:,} nodes and {graph.n_edges:,} edges: use l3n or buddy, or lower max_nodes, "
                "max_epochs or val_ratio"
            )

    def sizes(self, graph: Graph) -> Sizes:
        """Features are projected for all nodes; nothing is propagated but inside of subgraphs.

        batch      numbers of a batch's subgraphs
        subgraphs  seconds that scoring pairs between and after the epochs may take
        """
        sizes = super().sizes(graph) | encoder_sizes(graph, self.n_units if graph.n_features else 1, 1)
        some = self._some_subgraphs(graph)
        per_pair = (some.adjacency.indices.size + self.n_units * self.n_layers * some.nodes.size) / _N_TRIED
        n_checks = sizes[STEPS] / self.check_every
        n_scored = SAMPLE + 2 * sizes["searched"] + 2 * self.val_ratio * graph.n_edges * n_checks
        return sizes | {
            STEPS: sizes[STEPS] * self.batches_taken(batch_count(graph.n_edges, _BATCH_EDGES)),
            "messages": 0.0,
            "weights": graph.n_features * self.n_units,
            "batch": min(_BATCH_EDGES, graph.n_edges) * per_pair,
            "subgraphs": n_scored * self._pair_seconds(graph),
        }

    def batches_taken(self, n_batches: int) -> int:
        """Say how many batches an epoch takes.

        Parameters
        ----------
        n_batches : int
            Batches of all training edges.

        Returns
        -------
        int
        """
        return min(max(_FEWEST_BATCHES, round(self.train_share * n_batches)), _MOST_BATCHES)

    def _expected_seconds(self, graph: Graph) -> float:
        """Of a fit, at the longest: from the size of some subgraphs."""
        scored = self._pair_seconds(graph)
        n_trained = 2 * _BATCH_EDGES * min(_MOST_BATCHES, -(-graph.n_edges // _BATCH_EDGES)) * self.max_epochs
        n_checked = 2 * self.val_ratio * graph.n_edges * self.max_epochs / self.check_every
        return scored * (_TRAINING_FACTOR * n_trained * (1 + self.refit) + n_checked)

    def _pair_seconds(self, graph: Graph) -> float:
        """To score a pair: steps of the extraction, and products of the network."""
        batch = self._some_subgraphs(graph)
        n_steps = 2 * graph.degrees[batch.nodes].sum() + 20 * batch.nodes.size
        n_products = self.n_units * (batch.adjacency.indices.size + batch.nodes.size * (1 + self.n_units))
        return float(_STEP_SECONDS * n_steps + _PRODUCT_SECONDS * self.n_layers * n_products) / _N_TRIED

    def _some_subgraphs(self, graph: Graph) -> EnclosingSubgraphs:
        """Of some edges, by which those of all pairs are judged."""
        draws = uniforms(stream_key(self.seed, "cost"), _N_TRIED)
        return self.subgraphs(graph.adjacency, graph.edges[(draws * graph.n_edges).astype(np.int64)])

    def subgraphs(self, adjacency: Adjacency, pairs: Pairs) -> EnclosingSubgraphs:
        """Give what this model sees of some pairs.

        Parameters
        ----------
        adjacency : Adjacency
            Of the graph.
        pairs : array of node numbers, k x 2

        Returns
        -------
        EnclosingSubgraphs
        """
        return enclosing_subgraphs(
            adjacency, pairs, self.n_hops, self.max_nodes, stream_key(self.seed, "enclosing")
        )

    def network(self, has_features: bool) -> SubgraphNetwork:
        """Make an untrained network.

        Parameters
        ----------
        has_features : bool
            Whether nodes have features besides their labels.

        Returns
        -------
        SubgraphNetwork
        """
        return SubgraphNetwork(self.n_units, self.n_layers, self.pooling, has_features, self.seed)

    def _training(self, train: Graph) -> SubgraphTraining:
        return SubgraphTraining(self, train)

    def _state_scores(self, state: State, graph: Graph, pairs: Pairs) -> Scores:
        projected = torch.from_numpy(state[_PROJECTED]) if _PROJECTED in state else None
        network = self.network(projected is not None)
        from_state(network, state, _NETWORK)
        most_rows = 2 + self.n_hops * self.max_nodes
        # Few enough for the sparse product to take the same way whatever is in the batch.
        size = max(1, min(_SCORED_TOGETHER, _SCORED_NUMBERS // (most_rows * self.n_units)))

        def score(batch: Pairs) -> Tensor:
            logits: Tensor = network(self.subgraphs(graph.adjacency, batch), projected)
            return logits

        return in_fixed_batches(score, pairs, size, graph.pair_space)

    def _grown_state(self, new_nodes: NewNodes) -> State:
        if _PROJECTED not in self.state_:
            return self.state_
        inputs = new_nodes.feature_input(self.feature_scaling)
        rows = inputs.project(torch.from_numpy(self.state_[_PROJECTION])).numpy()
        return self.state_ | {_PROJECTED: new_nodes.appended(self.state_[_PROJECTED], rows)}


class SubgraphNetwork(nn.Module):
    """Subgraphs, and the projected features X W of all nodes (n x d) or None, to one logit per subgraph."""

    def __init__(self, n_units: int, n_layers: int, pooling: str, has_features: bool, seed: int) -> None:
        super().__init__()
        drawn = normals(stream_key(seed, "labels"), _N_LABELS * n_units).astype(np.float32)
        self.labels = nn.Parameter(torch.from_numpy(drawn.reshape(_N_LABELS, n_units)))
        self.layers = nn.ModuleList([Linear(n_units, n_units, seed, f"layer {k}") for k in range(n_layers)])
        width = n_units * (n_layers + has_features)
        self.reduce = Linear(width, _SORTED_UNITS, seed, "sorted") if pooling == "sort" else None
        pooled = _N_SORTED // 2 * _SORTED_UNITS if pooling == "sort" else width
        self.score = PairNetwork([pooled, whole_lanes(n_units), 1], seed, "score")

    def forward(self, batch: EnclosingSubgraphs, projected: Tensor | None) -> Tensor:
        adjacency = propagation_operator(batch.adjacency)
        h = self.labels[torch.from_numpy(np.minimum(batch.labels, _N_LABELS - 1))]
        if projected is not None:
            h = h + projected[torch.from_numpy(batch.nodes)]
        layers = [] if projected is None else [h]
        for layer in self.layers:
            assert isinstance(layer, Linear)
            h = (adjacency @ _product(h, layer.weight)).add_(layer.bias).relu_()
            layers.append(h)
        pooled = self._centre(layers, batch) if self.reduce is None else self._sorted(layers, batch, self.reduce)
        logits: Tensor = self.score(pooled)[:, 0]
        return logits

    def _centre(self, layers: list[Tensor], batch: EnclosingSubgraphs) -> Tensor:
        """h_x ∘ h_y (k x width)."""
        ends = torch.from_numpy(batch.ends)
        return torch.cat([h[ends[:, 0]] * h[ends[:, 1]] for h in layers], dim=1)

    def _sorted(self, layers: list[Tensor], batch: EnclosingSubgraphs, reduce: nn.Module) -> Tensor:
        """The first rows of each subgraph by their last number, reduced, the larger of every two (k x pooled)."""
        places = torch.from_numpy(first_rows(layers[-1][:, -1].detach().numpy(), batch.starts))
        rows = torch.cat([*layers], dim=1)
        rows = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])[places.reshape(-1)]
        reduced: Tensor = reduce(rows).relu().reshape(len(places), _N_SORTED // 2, 2, _SORTED_UNITS)
        return reduced.amax(dim=2).reshape(len(places), -1)


def first_rows(numbers: npt.NDArray[np.float32], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """In each block the first 30 rows by falling numbers, ties by place (k x 30); past its end, row N."""
    sizes = np.diff(starts)
    order = np.append(np.lexsort((-numbers, np.repeat(np.arange(len(sizes)), sizes))), numbers.size)
    ranks = np.arange(_N_SORTED)
    return order[np.where(ranks < sizes[:, None], starts[:-1, None] + ranks, numbers.size)]


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    """rows · weight; where no gradient is wanted in blocks of one shape, so that a row rounds alike everywhere."""
    if torch.is_grad_enabled():
        return rows @ weight
    n_rows, n_columns = len(rows), weight.shape[1]
    filled = nn.functional.pad(rows, (0, 0, 0, -n_rows % _BLOCK_ROWS)).reshape(-1, _BLOCK_ROWS, rows.shape[1])
    wide = nn.functional.pad(weight, (0, whole_lanes(n_columns) - n_columns))
    return torch.cat([block @ wide for block in filled])[:n_rows, :n_columns].contiguous()


class SubgraphTraining(Resumable):
    """Each epoch a fresh share of the training edges, against as many fresh non-edges, in small batches."""

    counters = ("n_steps", "_n_epochs")

    def __init__(self, model: SEAL, train: Graph) -> None:
        self.n_steps = 0
        self._model, self._train = model, train
        self._features = None if train.features is None else FeatureInput.of(train, model.feature_scaling)
        self._network = model.network(self._features is not None)
        self._projection: nn.Parameter | None = None
        if self._features is not None:
            self._projection = Linear(self._features.n_columns, model.n_units, model.seed, "features").weight
        self._batches = EdgeBatches(train, _BATCH_EDGES, model.seed)
        self._n_taken = model.batches_taken(self._batches.n_batches)
        self._n_epochs = 0
        parameters = [*self._network.parameters(), *([] if self._projection is None else [self._projection])]
        self._optimizer = torch.optim.Adam(parameters, lr=model.learning_rate, fused=True)

    def advance(self, n_epochs: int) -> None:
        for _ in range(n_epochs):
            for batch in islice(self._batches.epoch(self._n_epochs), self._n_taken):
                self._optimizer.zero_grad(set_to_none=True)
                subgraphs = self._model.subgraphs(self._train.adjacency, batch.pairs)
                logits = self._network(subgraphs, self._projected())
                loss = nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)
                loss.backward()  # type: ignore[no-untyped-call]
                self.loss = float(loss.detach())
                self._optimizer.step()
                self.n_steps += 1
            self._n_epochs += 1

    def parts(self) -> dict[str, Part]:
        parts: dict[str, Part] = {"network": self._network, "optimizer": self._optimizer}
        if self._projection is not None:
            parts["projection"] = nn.ParameterList([self._projection])
        return parts

    def snapshot(self) -> State:
        state = to_state(self._network, _NETWORK)
        with torch.no_grad():
            projected = self._projected()
        if projected is None or self._projection is None:
            return state
        return state | {_PROJECTED: projected.numpy(), _PROJECTION: self._projection.detach().numpy().copy()}

    def _projected(self) -> Tensor | None:
        if self._features is None or self._projection is None:
            return None
        return self._features.project(self._projection)
