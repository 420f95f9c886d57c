"""Bagging-PU: several GCNs, each against its own sample of unlabelled pairs, vote (Gan et al. 2022).

    U_b  m pairs without a training edge, drawn once for member b and kept, b = 1 .. T
    f_b  a GCN trained on the m training edges against U_b, mean cross-entropy, p_b = σ(z_i·z_j)
    p    1/T Σ_b p_b,   score = log p / (1 − p) = log Σ_b σ(logit_b) − log Σ_b σ(−logit_b)

The members train in step, and their joint validation AUROC says when to stop. The score stays below the largest of
the members' logits, which lets the search for the best pairs leave out most of them.

Gan et al. take SDNE's embeddings and a classifier on two nodes' concatenated vectors; the paper's comparison puts
GCNs in their place, here with inner products. The classifier on concatenated vectors is not built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import fmean

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.adjacency import Ints
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.engine.random import stream_key
from pulink.engine.search.best_pairs import best_first
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.graph.graph import Graph
from pulink.methods.baselines.gnn.gcn_ce import GCNCE
from pulink.nn.backend import ENGINE, Backend, Operator
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.by_embedding import embedding_state
from pulink.predictor.by_epochs import Training
from pulink.predictor.costs import STEPS, Sizes
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.parameters import check_count
from pulink.predictor.search_scope import SearchScope

_ENCODER = "encoder."

Scores = npt.NDArray[np.float64]
# Products in single precision may fall short of the logits by this share.
_SLACK = 1e-3


@dataclass(frozen=True, kw_only=True)
class FixedSample(LossTerm):
    """A loss term whose non-edges are the same in every epoch."""

    sample: np.uint64

    def loss(self, z: Tensor, key: np.uint64, backend: Backend = ENGINE) -> Tensor:  # noqa: ARG002 (fixed)
        return super().loss(z, self.sample, backend)


class BagTraining:
    """Members that train in step; their embeddings stand side by side."""

    def __init__(self, trainers: Sequence[Trainer], terms: Sequence[LossTerm], observed: Operator) -> None:
        self._trainers, self._terms, self._observed = trainers, terms, observed

    @property
    def n_steps(self) -> int:
        return sum(trainer.n_steps for trainer in self._trainers)

    @property
    def loss(self) -> float | None:
        losses = [sum(trainer.losses) for trainer in self._trainers if trainer.losses]
        return fmean(losses) if losses else None

    def advance(self, n_epochs: int) -> None:
        for trainer, term in zip(self._trainers, self._terms, strict=True):
            trainer.train([term], n_epochs)

    def snapshot(self) -> State:
        embeddings = np.concatenate([trainer.embed(self._observed) for trainer in self._trainers], axis=1)
        states = {
            f"{b}.{name}": value
            for b, trainer in enumerate(self._trainers)
            for name, value in trainer.state().items()
        }
        return embedding_state(embeddings, states)

    def state_dict(self) -> State:
        return {
            f"{b}.{name}": array
            for b, trainer in enumerate(self._trainers)
            for name, array in trainer.state_dict().items()
        }

    def load_state_dict(self, state: State) -> None:
        for b, trainer in enumerate(self._trainers):
            trainer.load_state_dict(
                {k.removeprefix(f"{b}."): array for k, array in state.items() if k.startswith(f"{b}.")}
            )


def vote(logits: Scores) -> Scores:
    """The logit of the mean probability of the members' logits (T x k)."""
    linked, unlinked = (np.logaddexp.reduce(_log_sigmoid(sign * logits), axis=0) for sign in (1.0, -1.0))
    return np.asarray(linked - unlinked, dtype=np.float64)


def _log_sigmoid(logits: Scores) -> Scores:
    return -np.logaddexp(0.0, -logits)


@dataclass(kw_only=True, eq=False, repr=False)
class BaggingPU(EpochEmbedding):
    """The vote of several GCNs; `embeddings_` holds their columns side by side (n x T·d).

    Parameters
    ----------
    n_members : int
        T, how many GCNs vote, each with a seed and a sample of its own.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.BaggingPU(n_members=2, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_members: int = 3

    def _check_params(self) -> None:
        super()._check_params()
        check_count("n_members", self.n_members, 1)

    def _width(self) -> int:
        return self.n_members * self.n_units

    def sizes(self, graph: Graph) -> Sizes:
        sizes = super().sizes(graph)
        return sizes | {STEPS: sizes[STEPS] * self.n_members}

    def _training(self, train: Graph) -> Training:
        observed = self._operator(train.adjacency)
        sampler = train.pair_space.sampler(train.adjacency)
        members = [self._member(b) for b in range(self.n_members)]
        terms = [
            FixedSample.of_edges(observed, train.edges, sampler, sample=_sample_key(member.seed))
            for member in members
        ]
        return BagTraining([member.new_trainer("gcn", train) for member in members], terms, observed)

    def _member(self, b: int) -> GCNCE:
        """An unfitted GCN with these settings and the seed of member b."""
        shared = {name: getattr(self, name) for name in GCNCE.parameter_names()}
        return GCNCE(**shared | {"seed": int(stream_key(self.seed, "member", b) >> np.uint64(1))})

    def _encoded(self, new_nodes: NewNodes) -> npt.NDArray[np.float32]:
        parts = []
        for b in range(self.n_members):
            prefix = f"{_ENCODER}{b}."
            parameters = {
                _ENCODER + name.removeprefix(prefix): value
                for name, value in self.state_.items()
                if name.startswith(prefix)
            }
            parts.append(self._member(b).encode_by(parameters, new_nodes))
        return np.concatenate(parts, axis=1)

    def _state_scores(self, state: State, graph: Graph, pairs: npt.NDArray[np.integer]) -> Scores:  # noqa: ARG002
        return vote(np.stack([pair_logits(z, pairs) for z in self._columns(state)]))

    def _columns(self, state: State) -> list[npt.NDArray[np.float32]]:
        return [np.ascontiguousarray(z) for z in np.split(state["embeddings"], self.n_members, axis=1)]

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], SearchScope]:
        found, scope = self._members_best(count, exact_nodes)
        graph = self._structure
        if graph.n_nodes > exact_nodes or len(found) == graph.n_pairs - graph.n_edges or count == 0:
            return found[:count], scope
        # No fewer than `count` pairs reach this score, so none below it is wanted.
        least = float(self._pair_scores(found[count - 1 : count].astype(np.int64))[0])
        floor = least - _SLACK * (1 + abs(least))
        members = [torch.from_numpy(z) for z in self._columns(self.state_)]

        def rows(nodes: Ints, first: int) -> Scores:
            lines = torch.from_numpy(nodes.astype(np.int64))
            logits = reduce(torch.maximum, [z[lines] @ z[first:].T for z in members])
            line, column = np.nonzero((logits >= floor).numpy())
            scores = np.full(logits.shape, -np.inf)
            pairs = np.stack([nodes[line], column + first], axis=1).astype(np.int64)
            scores[line, column] = self._pair_scores(pairs)
            return scores

        return top_by_rows(rows, graph.adjacency, count), scope

    def _members_best(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], SearchScope]:
        """The best pairs of each member, ranked by the vote; all members search among the same."""
        lists = []
        for b, embeddings in enumerate(self._columns(self.state_)):
            member = self._member(b)
            member.graph_, member.state_ = self.graph_, {"embeddings": embeddings}
            pairs, scope = member._best_pairs(count, exact_nodes)
            lists.append(pairs)
        found = self._structure.pair_space.unique(np.concatenate(lists))
        order = best_first(self._pair_scores(found.astype(np.int64)), found)
        return found[order], scope


def _sample_key(seed: int) -> np.uint64:
    return stream_key(seed, "unlabelled")
