"""NESS: one GCN over disjoint parts of the edges (Ucar 2023).

    P_1 .. P_k  the training pairs, dealt out once; every part keeps all nodes
    z^s         GCN over P_s, of whose pairs a share is dropped afresh in every step
    loss        1/k Σ_s [mean over P_s of −log σ(z^s_i·z^s_j) + mean over |P_s| fresh non-edges of −log(1 − σ)]
    score       z_i·z_j of z = 1/k Σ_s z^s, over whole parts

Hidden layers are twice as wide as z. The contrastive loss between parts is left out: it compares all 2n x 2n pairs
of vectors, and the authors' own settings switch it off.

The authors' code departs from this; `legacy` follows it: dropped entries of the propagation graph never come back,
and the two entries of a pair are dropped apart; loss terms weigh k, k − 1, .. 1 over k; non-edges of a part may be
edges of another; every epoch draws the same random numbers; scoring propagates from the lower to the higher node
number only, and takes the last state instead of the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from statistics import fmean
from typing import cast

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import nn

from pulink.engine.autograd.sparse import SparseOperator, propagation_operator
from pulink.engine.non_edges import PairSampler
from pulink.engine.random import permutation, stream_key, uniforms
from pulink.errors import ParameterError
from pulink.graph.graph import Edges, Graph
from pulink.nn.backend import Operator, backend_of
from pulink.nn.encoders import GCN, EncoderFactory
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.by_embedding import embedding_state
from pulink.predictor.by_epochs import Training, Watch
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes, encode
from pulink.predictor.parameters import check_count, check_flag, check_share

_EPSILON = 1e-7
_WEIGHT_DECAY = 0.01


def deal_out(n_pairs: int, n_parts: int, last_share: float, key: np.uint64) -> list[npt.NDArray[np.int64]]:
    """Disjoint sets of pair numbers, each sorted; the last part keeps `last_share` of what is left for it."""
    order = permutation(key, n_pairs)
    bounds = [n_pairs * s // n_parts for s in range(n_parts + 1)]
    bounds[-1] = bounds[-2] + max(1, round(last_share * (n_pairs - bounds[-2])))
    return [np.sort(order[bounds[s] : bounds[s + 1]]) for s in range(n_parts)]


def deal_more(graph: Graph, n_old: int, dealt: list[npt.NDArray[np.int64]]) -> list[npt.NDArray[np.int64]]:
    """What was dealt of the old edges, as numbers of the grown graph's, and the edges of its new nodes in turn."""
    owner = graph.edges.max(axis=1)
    is_new = owner >= n_old
    old, new = np.flatnonzero(~is_new), np.flatnonzero(is_new)
    new = new[np.argsort(owner[new], kind="stable")]
    owners = owner[new]
    turns = (owners + np.arange(len(new)) - np.searchsorted(owners, owners)) % len(dealt)
    return [np.sort(np.concatenate([old[numbers], new[turns == s]])) for s, numbers in enumerate(dealt)]


def one_way_operator(entries: npt.NDArray[np.integer], n_nodes: int) -> SparseOperator:
    """D^-1/2 (A + I) D^-1/2 of single entries (k x 2): each leads from its first node to its second."""
    loops = np.arange(n_nodes)
    source, target = np.concatenate([entries[:, 0], loops]), np.concatenate([entries[:, 1], loops])
    scale = 1.0 / np.sqrt(np.bincount(target, minlength=n_nodes))
    values = (scale[source] * scale[target]).astype(np.float32)
    return SparseOperator.from_scipy(sp.csr_array((values, (target, source)), shape=(n_nodes, n_nodes)))


class NarrowingGCN(GCN):
    """A GCN whose hidden layers are twice as wide as its embeddings."""

    def __init__(self, n_columns: int, n_units: int, n_layers: int, seed: int) -> None:
        super().__init__(1, 1, 1, seed)
        sizes = [n_columns] + [2 * n_units] * (n_layers - 1) + [n_units]
        self.weights = nn.ParameterList(
            [self.glorot(f"layer {k}", sizes[k], sizes[k + 1]) for k in range(n_layers)]
        )
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(size)) for size in sizes[1:]])


class Part:
    """A part of the training pairs: what is propagated over in training and in scoring, and the loss."""

    def __init__(self, graph: Graph, numbers: npt.NDArray[np.int64], sampler: PairSampler) -> None:
        self.pairs: Edges = np.ascontiguousarray(graph.edges[numbers])
        self._weights = None if graph.weights is None else graph.weights[numbers]
        self._n_nodes, self._space = graph.n_nodes, graph.pair_space
        self.whole = self._operator(np.ones(len(numbers), dtype=np.bool_))
        ones = np.ones(len(numbers), dtype=np.float32)
        self.term = LossTerm(self.whole, self.pairs, ones, ones, len(numbers), sampler, "per_class")

    def thinned(self, share: float, key: np.uint64) -> SparseOperator:
        """The part without about this share of its pairs."""
        return self._operator(uniforms(key, len(self.pairs)) >= share)

    def _operator(self, kept: npt.NDArray[np.bool_]) -> SparseOperator:
        weights = None if self._weights is None else self._weights[kept]
        return propagation_operator(self._space.adjacency(self.pairs[kept], weights))


class LegacyPart(Part):
    """As in the authors' code: single entries are dropped, for good, and scoring goes one way."""

    def __init__(self, graph: Graph, numbers: npt.NDArray[np.int64]) -> None:
        space = graph.pair_space
        super().__init__(graph, numbers, space.sampler(space.adjacency(graph.edges[numbers])))
        self.whole = one_way_operator(self.pairs, graph.n_nodes)
        self._entries = np.concatenate([self.pairs, self.pairs[:, ::-1]])

    def thinned(self, share: float, key: np.uint64) -> SparseOperator:
        self._entries = self._entries[uniforms(key, len(self._entries)) >= share]
        return one_way_operator(self._entries, self._n_nodes)


class PartsTrainer(Trainer):
    """A trainer on all parts in every step, by AdamW."""

    def __init__(self, trainer: Trainer, parts: Sequence[Part], settings: NESS) -> None:
        module = cast(nn.Module, trainer.encoder)
        super().__init__(module, trainer.features, settings.learning_rate, settings.seed, backend=trainer._backend)
        self._parts, self._share, self._legacy = parts, settings.edge_dropout, settings.legacy
        self._optimizer = torch.optim.AdamW(
            module.parameters(), lr=settings.learning_rate, eps=_EPSILON, weight_decay=_WEIGHT_DECAY, fused=True
        )

    def _gradients(self, terms: Sequence[LossTerm]) -> list[float]:  # noqa: ARG002 (the parts hold them)
        projected = self.encoder.project(self.features)
        total = torch.zeros((), device=self._backend.device)
        losses = []
        for s, part in enumerate(self._parts):
            z, _ = self.encoder.propagate(
                projected, self._ready(part.thinned(self._share, self._key("thin", s))), None
            )
            loss = part.term.loss(z, self._key("non-edges", s), self._backend)
            weight = len(self._parts) - s if self._legacy else 1
            total = total + weight / len(self._parts) * loss
            losses.append(float(loss.detach()))
        total.backward()  # type: ignore[no-untyped-call]
        return losses

    def mean_embeddings(self) -> npt.NDArray[np.float32]:
        """The mean over the whole parts (n x d)."""
        each = [self.embed(self._ready(part.whole)) for part in self._parts]
        return np.asarray(sum(each) / np.float32(len(each)), dtype=np.float32)

    def _ready(self, operator: SparseOperator) -> Operator:
        return self._backend.operator(operator)

    def _key(self, what: str, part: int) -> np.uint64:
        return stream_key(self._seed, what, 0 if self._legacy else self.n_steps, part)


class PartsTraining:
    """One training; scoring takes the mean embeddings."""

    def __init__(self, trainer: PartsTrainer) -> None:
        self._trainer = trainer

    @property
    def n_steps(self) -> int:
        return self._trainer.n_steps

    @property
    def loss(self) -> float | None:
        return fmean(self._trainer.losses) if self._trainer.losses else None

    def advance(self, n_epochs: int) -> None:
        self._trainer.train([], n_epochs)

    def snapshot(self) -> State:
        return embedding_state(self._trainer.mean_embeddings(), self._trainer.state())

    def state_dict(self) -> State:
        return self._trainer.state_dict()

    def load_state_dict(self, state: State) -> None:
        self._trainer.load_state_dict(state)


@dataclass(kw_only=True, eq=False, repr=False)
class NESS(EpochEmbedding):
    """One GCN over disjoint parts of the edges, with the paper's stopping rule.

    Parameters
    ----------
    n_units : int
        Width of the embeddings; hidden layers are twice as wide.
    n_parts : int
        Into how many parts the training pairs are dealt out.
    last_share : float
        Which share of what is left for it the last part keeps; the authors' code keeps 0.95.
    edge_dropout : float
        Share of a part's pairs that is not propagated over in a step.
    legacy : bool
        Follow the authors' code where it departs from the method; it also stopped otherwise: max_epochs=500,
        min_epochs=0, check_every=10, patience=2.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.NESS(n_parts=2, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_units: int = 32
    n_parts: int = 4
    last_share: float = 0.95
    edge_dropout: float = 0.2
    legacy: bool = False

    def _check_params(self) -> None:
        super()._check_params()
        check_count("n_parts", self.n_parts, 1)
        check_share("edge_dropout", self.edge_dropout)
        check_flag("legacy", self.legacy)
        if (
            isinstance(self.last_share, bool)
            or not isinstance(self.last_share, Real)
            or not 0 < self.last_share <= 1
        ):
            raise ParameterError(f"last_share must lie in (0, 1], got {self.last_share!r}")

    def _refuse(self, graph: Graph) -> None:
        super()._refuse(graph)
        if graph.n_edges < self.n_parts:
            raise ParameterError(
                f"n_parts must be at most the number of edges, {graph.n_edges}, got {self.n_parts}"
            )

    def _width(self) -> int:
        return self.n_parts * self.n_units

    def _encoder(self) -> EncoderFactory:
        return NarrowingGCN

    def _dealt(self, n_edges: int) -> list[npt.NDArray[np.int64]]:
        return deal_out(n_edges, self.n_parts, self.last_share, stream_key(self.seed, "parts"))

    def _parts(self, graph: Graph, dealt: list[npt.NDArray[np.int64]]) -> list[Part]:
        if self.legacy:
            # The part that was cut off last comes first, and weighs most.
            return [LegacyPart(graph, numbers) for numbers in reversed(dealt)]
        sampler = graph.pair_space.sampler(graph.adjacency)
        return [Part(graph, numbers, sampler) for numbers in dealt]

    def _training(self, train: Graph) -> Training:
        parts = self._parts(train, self._dealt(train.n_edges))
        return PartsTraining(PartsTrainer(self.new_trainer(self._encoder(), train), parts, self))

    def _encoded(self, new_nodes: NewNodes) -> npt.NDArray[np.float32]:
        """The mean over parts of the old graph, among which the first edges of each new node are dealt in turn."""
        backend = backend_of(self.device)
        inputs = new_nodes.feature_input(self.feature_scaling, backend)
        module, _ = self._untrained(new_nodes.graph, inputs.n_columns)
        dealt = deal_more(new_nodes.graph, new_nodes.old.n_nodes, self._dealt(new_nodes.old.n_edges))
        each = [
            encode(module, self.encoder_state_, inputs, backend.operator(part.whole), backend)
            for part in self._parts(new_nodes.graph, dealt)
        ]
        return np.asarray(sum(each) / np.float32(len(each)), dtype=np.float32)

    def _kept(self, training: Training, watch: Watch) -> tuple[int, State]:
        if self.legacy and watch.history:
            return training.n_steps, training.snapshot()
        return super()._kept(training, watch)

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept state; None without validation edges."""
        return self.history_[-1][1] if self.legacy and self.history_ else super().best_val_auroc_
