"""Neo-GNN: a GCN beside a learned weight of common neighbours (Yun et al. 2021), for walks of two steps.

    x_u       = node(log(1 + Σ_j edge(A_uj)))          a number for each node, from its edges
    structure = join(log(1 + Σ_u A_iu A_uj x_u²))      over the common neighbours u of i and j
    feature   = z_i · z_j,  z = GCN(X, A)
    p         = a_1 σ(structure) + a_2 σ(feature),  a = softmax of two learned numbers

node, edge and join are small networks, edge with a positive value. The logarithms, which the authors do not take,
keep hubs from drowning the rest. Longer walks, which the authors also count, would fill the matrix of all pairs
around hubs. All is trained in one on the mean cross-entropy of p over edges and as many fresh non-edges. An edge
is never its own common neighbour; it does take part in the GCN's propagation, as in GCN+CE.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, softplus

from pulink.engine.common_neighbours import common_neighbour_sums, most_common_neighbours
from pulink.engine.memory import require_memory
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.pair_gradient import logits_with_gradient
from pulink.engine.pair_loss import pair_logits
from pulink.engine.random import stream_key
from pulink.engine.sparse import SparseOperator, propagation_operator
from pulink.engine.walks import two_step_sums
from pulink.graph.graph import Graph
from pulink.models.encoders import GCN
from pulink.models.features import SCALINGS, FeatureInput
from pulink.models.pair_network import PairNetwork, from_state, to_state
from pulink.models.pair_scorer import PairScorer, in_fixed_batches
from pulink.models.parameters import check_choice, check_count, check_positive
from pulink.models.predictor import State

_SCORED_AT_ONCE = 4096
_WIDTH = 16


@dataclass(kw_only=True, eq=False, repr=False)
class NeoGNN(PairScorer):
    """GCN and weighted common neighbours, mixed; settings as in `pulink.GCNCE`."""

    n_units: int = 16
    n_layers: int = 2
    learning_rate: float = 0.01
    feature_scaling: str = "auto"

    def _judge(self) -> None:
        super()._judge()
        check_count("n_units", self.n_units, 1)
        check_count("n_layers", self.n_layers, 1)
        check_positive("learning_rate", self.learning_rate)
        check_choice("feature_scaling", self.feature_scaling, SCALINGS)

    def _refuse(self, graph: Graph) -> None:
        entries = most_common_neighbours(graph.adjacency, graph.edges)
        require_memory(
            16 * entries,
            f"listing up to {entries:,} common neighbours of {graph.n_edges:,} edges",
            "gcn-ce or l3n need less",
        )

    def _training(self, train: Graph) -> _Training:
        return _Training(self, train)

    def _state_scores(self, state: State, graph: Graph, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        mixture = Mixture(self.seed)
        from_state(mixture, state, "mixture.")
        ends = np.asarray(pairs, dtype=np.int64)
        sums = two_step_sums(graph.adjacency, state["weights"], ends)
        features = pair_logits(state["embeddings"], ends)
        rows = torch.from_numpy(np.stack([sums, features], axis=1).astype(np.float32))
        places = np.stack([np.arange(len(ends)), np.arange(len(ends)) + 1], axis=1)
        return in_fixed_batches(lambda part: mixture(*rows[part[:, 0]].unbind(1)), places, _SCORED_AT_ONCE)


class NodeWeights(nn.Module):
    """x_u² for every node, from its degree: all edges weigh the same."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.edge = PairNetwork([1, _WIDTH, 1], seed, "edge")
        self.node = PairNetwork([1, _WIDTH, 1], seed, "node")

    def forward(self, degrees: Tensor) -> Tensor:
        one = softplus(self.edge(torch.ones((1, 1))))
        return self.node(torch.log1p(degrees[:, None] * one)) ** 2  # type: ignore[no-any-return]


class Mixture(nn.Module):
    """logit(a_1 σ(join(log(1 + sum))) + a_2 σ(feature)), by logarithms, so that it does not saturate."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.join = PairNetwork([1, _WIDTH, 1], seed, "join")
        self.shares = nn.Parameter(torch.zeros(2))

    def forward(self, sums: Tensor, features: Tensor) -> Tensor:
        both = torch.stack([self.join(torch.log1p(sums)[:, None])[:, 0], features])
        log_shares = self.shares.log_softmax(dim=0)[:, None]
        linked, unlinked = (torch.logsumexp(log_shares + logsigmoid(sign * both), dim=0) for sign in (1, -1))
        return linked - unlinked


class _Training:
    """Full batches: all edges and as many fresh non-edges in every epoch."""

    def __init__(self, model: NeoGNN, train: Graph) -> None:
        self.n_steps = 0
        self._seed, self._train = model.seed, train
        self._features = FeatureInput.of(train, model.feature_scaling)
        self._observed = propagation_operator(train.adjacency)
        self._sampler = NonEdgeSampler(train.adjacency)
        self._degrees = torch.from_numpy(train.degrees.astype(np.float32))
        self._edge_sums = common_neighbour_sums(train.adjacency, train.edges)
        self._encoder = GCN(self._features.n_columns, model.n_units, model.n_layers, model.seed)
        self._weights, self._mixture = NodeWeights(model.seed), Mixture(model.seed)
        modules = nn.ModuleList([self._encoder, self._weights, self._mixture])
        self._optimizer = torch.optim.Adam(modules.parameters(), lr=model.learning_rate, fused=True)

    def advance(self, n_epochs: int) -> None:
        for _ in range(n_epochs):
            key = stream_key(self._seed, "non-edges", self.n_steps)
            others = self._sampler.draw(self._train.n_edges, key)
            self._optimizer.zero_grad(set_to_none=True)
            z, weights = self._tables()
            edges = self._logits(z, weights, self._train.edges, self._edge_sums)
            non_edges = self._logits(z, weights, others, common_neighbour_sums(self._train.adjacency, others))
            loss = (softplus(-edges).sum() + softplus(non_edges).sum()) / (len(edges) + len(non_edges))
            loss.backward()  # type: ignore[no-untyped-call]
            self._optimizer.step()
            self.n_steps += 1

    def snapshot(self) -> State:
        with torch.no_grad():
            z, weights = self._tables()
        kept: State = {"embeddings": z.numpy().copy(), "weights": weights[:, 0].numpy().astype(np.float64)}
        return kept | to_state(self._mixture, "mixture.")

    def _tables(self) -> tuple[Tensor, Tensor]:
        """Embeddings (n x d) and the weights of common neighbours (n x 1)."""
        z, _ = self._encoder.propagate(self._encoder.project(self._features), self._observed, None)
        return z, self._weights(self._degrees)

    def _logits(self, z: Tensor, weights: Tensor, pairs: npt.NDArray[np.int32], sums: SparseOperator) -> Tensor:
        mixed: Tensor = self._mixture((sums @ weights)[:, 0], logits_with_gradient(z, pairs))
        return mixed
