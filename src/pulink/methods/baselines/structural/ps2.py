"""PS2: for each pair, a learned choice of how far to look around each end (Tan et al. 2023).

A graph convolutional network keeps what it knows of a node after every hop, and a selector weighs all combinations
of hops for a pair (i, j):

    h^0 = X W_0,   h^l = S relu(h^(l-1)) W_l + b_l,  l = 1 .. L                       h^l: n x d
    w(i, j) = softmax over (a, b) of f(h_i, h_j)[a, b] + f(h_j, h_i)[b, a]            (L + 1) x (L + 1), f an MLP
    score(i, j) = Σ_ab w(i, j)[a, b] · MLP(h_i^a ∘ h_j^b)

w(j, i) is the transpose of w(i, j), so the score is symmetric. The authors train the selector on validation
edges, with second-order gradients. Here it is trained to first order on a slice of the training edges, from equal
weights, in turn with a network that neither learns from that slice nor sees it in its propagation. Then the
selector and the vectors that it reads are fixed, and a new network is trained on all training edges; the
validation edges only tell when to stop. As in GCN+CE, a training edge is part of the graph over which its own
ends are propagated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.calibration.pair_sample import SAMPLE
from pulink.engine.autograd.sparse import SparseOperator, propagation_operator
from pulink.engine.non_edges import PairSampler
from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError
from pulink.graph.graph import Edges, Graph
from pulink.nn.edge_batches import batch_count
from pulink.nn.inputs import SCALINGS, FeatureInput
from pulink.nn.mlp import Linear, PairNetwork, from_state, to_state, whole_lanes
from pulink.nn.resumable import Part, Resumable
from pulink.predictor.costs import STEPS, Sizes, encoder_sizes, require_room
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.pair_scorer import Pairs, PairScorer, Scores, in_fixed_batches
from pulink.predictor.parameters import check_choice, check_count, check_positive, check_share

_BATCH_EDGES, _FEWEST_BATCHES = 8_192, 5
_SCORED_TOGETHER = 256
_HOPS, _SELECTOR_HOPS, _SELECTOR, _SCORE = "hops", "selector_hops", "selector.", "score."
# What made the vectors after each hop: those that are scored, and those that the selector reads.
_ENCODERS = {_HOPS: "encoder.", _SELECTOR_HOPS: "selector_encoder."}
_LONGEST = 2 * 3_600.0
_PRODUCT_SECONDS = 2.5e-10


@dataclass(kw_only=True, eq=False, repr=False)
class PS2(PairScorer):
    """Hop-wise node vectors, and a selector that weighs combinations of hops for each pair.

    An epoch goes through all training edges in batches of at most 8,192.

    Parameters
    ----------
    n_units, n_layers : int
        Width of the vectors, and the number of hops L.
    selector_share : float
        The slice of training edges on which the selector is trained.
    search_epochs : int
        For how long the first network is trained; from half of them on in turn with the selector.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.PS2(search_epochs=2, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_units: int = 32
    n_layers: int = 2
    learning_rate: float = 0.01
    feature_scaling: str = "auto"
    selector_share: float = 0.2
    search_epochs: int = 30
    max_epochs: int = 200
    min_epochs: int = 50
    patience: int = 10
    check_every: int = 2

    def _check_params(self) -> None:
        super()._check_params()
        for name in ("n_units", "n_layers", "search_epochs"):
            check_count(name, getattr(self, name), 1)
        check_positive("learning_rate", self.learning_rate)
        check_share("selector_share", self.selector_share)
        check_choice("feature_scaling", self.feature_scaling, SCALINGS)

    def _refuse(self, graph: Graph) -> None:
        what = f"PS2 on {graph.n_nodes:,} nodes and {graph.n_features:,} features"
        require_room(self, graph, what, "use fewer units or a smaller graph")
        n_hops = self.n_layers + 1
        n_products = 2 * graph.n_edges * n_hops**2 * self.n_units**2
        seconds = 3 * _PRODUCT_SECONDS * n_products * (1 + self.refit) * (self.max_epochs + self.search_epochs)
        if seconds > _LONGEST:
            raise InputError(
                f"PS2 weighs {n_hops**2} combinations of hops for each pair and would take about "
                f"{seconds / 3600:.1f} hours on {graph.n_edges:,} edges: use l3n or gcn-ce, or lower n_units or "
                "max_epochs"
            )

    def sizes(self, graph: Graph) -> Sizes:
        """batch: numbers of all combinations of hops of a batch's pairs."""
        sizes = super().sizes(graph) | encoder_sizes(graph, self.n_units, self.n_layers + 1)
        n_batches = batch_count(graph.n_edges, _BATCH_EDGES)
        n_combinations = (self.n_layers + 1) ** 2
        return sizes | {
            STEPS: n_batches * (sizes[STEPS] + (1 + self.refit) * self.search_epochs),
            "batch": graph.n_edges / n_batches * n_combinations * self.n_units,
            "weighed": (sizes["searched"] + SAMPLE) * n_combinations * self.n_units,
        }

    def scorer(self) -> HopScore:
        """Make an untrained network on pairs of node vectors.

        Returns
        -------
        HopScore
        """
        return HopScore(self.n_units, self.seed)

    def selector(self) -> HopSelector:
        """Make an untrained selector of combinations of hops.

        Returns
        -------
        HopSelector
        """
        return HopSelector(self.n_units, self.n_layers + 1, self.seed)

    def encoder(self, n_columns: int) -> HopEncoder:
        """Make an untrained encoder of nodes.

        Parameters
        ----------
        n_columns : int
            Columns of the features.

        Returns
        -------
        HopEncoder
        """
        return HopEncoder(n_columns, self.n_units, self.n_layers, self.seed)

    def _training(self, train: Graph) -> SelectedTraining:
        return SelectedTraining(self, train)

    def _state_scores(self, state: State, graph: Graph, pairs: Pairs) -> Scores:
        selector, score = self.selector(), self.scorer()
        from_state(selector, state, _SELECTOR)
        from_state(score, state, _SCORE)
        seen, hops = torch.from_numpy(state[_SELECTOR_HOPS]), torch.from_numpy(state[_HOPS])

        def logits(batch: Pairs) -> Tensor:
            found: Tensor = score(hops, torch.from_numpy(batch), selector(seen, torch.from_numpy(batch)))
            return found

        return in_fixed_batches(logits, pairs, _SCORED_TOGETHER, graph.pair_space)

    def _grown_state(self, new_nodes: NewNodes) -> State:
        inputs = new_nodes.feature_input(self.feature_scaling)
        operator = propagation_operator(new_nodes.graph.adjacency)
        state = dict(self.state_)
        for name, prefix in _ENCODERS.items():
            encoder = self.encoder(inputs.n_columns)
            from_state(encoder, self.state_, prefix)
            state[name] = new_nodes.appended(self.state_[name], encoder(inputs, operator).numpy())
        return state


class HopEncoder(nn.Module):
    """A node's vector after each hop: n x (L + 1) x d."""

    def __init__(self, n_columns: int, n_units: int, n_layers: int, seed: int) -> None:
        super().__init__()
        self.projection = Linear(n_columns, n_units, seed, "hop 0").weight
        self.layers = nn.ModuleList([Linear(n_units, n_units, seed, f"hop {k + 1}") for k in range(n_layers)])

    def forward(self, features: FeatureInput, adjacency: SparseOperator) -> Tensor:
        hops = [features.project(self.projection)]
        for layer in self.layers:
            assert isinstance(layer, Linear)
            hops.append((adjacency @ (hops[-1].relu() @ layer.weight)).add_(layer.bias))
        return torch.stack(hops, dim=1)


class HopSelector(nn.Module):
    """Weights of the combinations of hops for pairs (k x 2): k x (L + 1) x (L + 1), each with the sum 1."""

    def __init__(self, n_units: int, n_hops: int, seed: int) -> None:
        super().__init__()
        self._n_hops = n_hops
        self.network = PairNetwork(
            [2 * n_hops * n_units, whole_lanes(n_units), whole_lanes(n_hops**2)], seed, "selector"
        )
        # At first all combinations weigh the same.
        nn.init.zeros_(self.network.layers[-1].weight)  # type: ignore[arg-type]

    def forward(self, hops: Tensor, pairs: Tensor) -> Tensor:
        low, high = (hops.index_select(0, pairs[:, end]).flatten(1) for end in (0, 1))
        forth, back = self._rates(low, high), self._rates(high, low).transpose(1, 2)
        return torch.softmax((forth + back).flatten(1), dim=1).reshape(forth.shape)

    def _rates(self, first: Tensor, second: Tensor) -> Tensor:
        rates: Tensor = self.network(torch.cat([first, second], dim=1))[:, : self._n_hops**2]
        return rates.reshape(-1, self._n_hops, self._n_hops)


class HopScore(nn.Module):
    """Σ_ab weight[a, b] · MLP(h_i^a ∘ h_j^b) for pairs (k x 2)."""

    def __init__(self, n_units: int, seed: int) -> None:
        super().__init__()
        self.network = PairNetwork([n_units, whole_lanes(n_units), 1], seed, "score")

    def forward(self, hops: Tensor, pairs: Tensor, weights: Tensor) -> Tensor:
        low, high = (hops.index_select(0, pairs[:, end]) for end in (0, 1))
        products = low[:, :, None] * high[:, None]
        logits = self.network(products.flatten(0, 2)).reshape(weights.shape)
        score: Tensor = (weights * logits).sum(dim=(1, 2))
        return score


class _Pairs:
    """Batches of some edges with as many fresh non-edges, in another order in every epoch."""

    def __init__(self, edges: Edges, sampler: PairSampler, seed: int, name: str) -> None:
        self._edges, self._sampler, self._seed, self._name = edges, sampler, seed, name
        self._n_batches = max(-(-len(edges) // _BATCH_EDGES), min(_FEWEST_BATCHES, len(edges)))

    def epoch(self, number: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Pairs (k x 2) and their labels."""
        m = len(self._edges)
        order = permutation(stream_key(self._seed, self._name, "order", number), m)
        # None where every pair is connected.
        free = self._sampler.draw(m, stream_key(self._seed, self._name, "non-edges", number))
        for first, end in pairwise(m * k // self._n_batches for k in range(self._n_batches + 1)):
            pairs = np.concatenate([self._edges[order[first:end]], free[first:end]]).astype(np.int64)
            labels = torch.zeros(len(pairs))
            labels[: end - first] = 1.0
            yield torch.from_numpy(pairs), labels


class _Network:
    """Encoder and score with their optimiser, on the propagation over one graph."""

    def __init__(self, model: PS2, features: FeatureInput, adjacency: SparseOperator) -> None:
        self.encoder, self.score = model.encoder(features.n_columns), model.scorer()
        self._features, self._adjacency = features, adjacency
        parameters = [*self.encoder.parameters(), *self.score.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=model.learning_rate, fused=True)

    def hops(self) -> Tensor:
        found: Tensor = self.encoder(self._features, self._adjacency)
        return found

    def step(self, hops: Tensor, pairs: Tensor, labels: Tensor, weights: Tensor) -> float:
        return _descend(self.optimizer, self.score(hops, pairs, weights), labels)


def _descend(optimizer: torch.optim.Optimizer, logits: Tensor, labels: Tensor) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, labels)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return float(loss.detach())


def train_selector(
    model: PS2, train: Graph, features: FeatureInput
) -> tuple[HopSelector, HopEncoder, Tensor, int]:
    """A selector, what made the node vectors that it reads, these, and how many steps it took."""
    held, rest = held_out(train.n_edges, model.selector_share, model.seed)
    sampler = train.pair_space.sampler(train.adjacency)
    selector = model.selector()
    network = _Network(model, features, propagation_operator(_only(train, rest).adjacency))
    optimizer = torch.optim.Adam(selector.parameters(), lr=model.learning_rate, fused=True)
    slices = _Pairs(train.edges[held], sampler, model.seed, "selector")
    others = _Pairs(train.edges[rest], sampler, model.seed, "search")
    n_steps = 0
    for epoch in range(model.search_epochs):
        for pairs, labels in others.epoch(epoch):
            hops = network.hops()
            network.step(hops, pairs, labels, selector(hops.detach(), pairs).detach())
            n_steps += 1
        # A selector that is asked too early settles on the hop that happens to learn first.
        if epoch < model.search_epochs // 2:
            continue
        hops = network.hops().detach()
        for pairs, labels in slices.epoch(epoch):
            _descend(optimizer, network.score(hops, pairs, selector(hops, pairs)), labels)
            n_steps += 1
    return selector.requires_grad_(False), network.encoder, network.hops().detach(), n_steps


def held_out(n_edges: int, share: float, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Numbers of the edges that teach the selector, and of the others; a single edge is both."""
    order = permutation(stream_key(seed, "slice"), n_edges)
    n_held = max(1, round(share * n_edges))
    return order[:n_held], order[n_held:] if n_held < n_edges else order


def _only(graph: Graph, numbers: npt.NDArray[np.int64]) -> Graph:
    kept = np.zeros(graph.n_edges, dtype=np.bool_)
    kept[numbers] = True
    return graph.keep_edges(kept)


class SelectedTraining(Resumable):
    """The network's training with a selection that is learned first and then fixed."""

    counters = ("n_steps", "_n_epochs")

    def __init__(self, model: PS2, train: Graph) -> None:
        features = FeatureInput.of(train, model.feature_scaling)
        self._selector, seeing, self._seen, self.n_steps = train_selector(model, train, features)
        self._seeing = to_state(seeing, _ENCODERS[_SELECTOR_HOPS])
        self._network = _Network(model, features, propagation_operator(train.adjacency))
        self._pairs = _Pairs(train.edges, train.pair_space.sampler(train.adjacency), model.seed, "train")
        self._n_epochs = 0

    def advance(self, n_epochs: int) -> None:
        for _ in range(n_epochs):
            for pairs, labels in self._pairs.epoch(self._n_epochs):
                weights = self._selector(self._seen, pairs)
                self.loss = self._network.step(self._network.hops(), pairs, labels, weights)
                self.n_steps += 1
            self._n_epochs += 1

    def parts(self) -> dict[str, Part]:
        network = self._network
        return {"encoder": network.encoder, "score": network.score, "optimizer": network.optimizer}

    def snapshot(self) -> State:
        hops = self._network.hops().detach().numpy()
        state = {_HOPS: hops, _SELECTOR_HOPS: self._seen.numpy().copy()} | self._seeing
        state |= to_state(self._network.encoder, _ENCODERS[_HOPS])
        return state | to_state(self._selector, _SELECTOR) | to_state(self._network.score, _SCORE)
