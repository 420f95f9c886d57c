"""GAT+CE: a graph attention network with cross-entropy (Veličković et al. 2018).

m training edges against m fresh non-edges in every epoch, mean cross-entropy of inner products; the encoder's
equations stand in nn/gat.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.attention import with_loops
from pulink.engine.random import stream_key
from pulink.graph.graph import Graph
from pulink.nn.backend import backend_of
from pulink.nn.encoders import EncoderFactory
from pulink.nn.gat import GAT, Neighbourhoods
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.by_epochs import Training
from pulink.predictor.costs import require_room
from pulink.predictor.encoder_predictor import EncoderTraining, EpochEmbedding
from pulink.predictor.parameters import check_count, check_share


class AttentionTraining(EncoderTraining):
    """Before each epoch the encoder is told what to drop, and before scoring that nothing is."""

    def __init__(self, trainer: Trainer, terms: Sequence[LossTerm], observed: Neighbourhoods, seed: int) -> None:
        super().__init__(trainer, terms, observed)
        self._encoder = cast(GAT, trainer.encoder)
        self._seed = seed

    def advance(self, n_epochs: int) -> None:
        for _ in range(n_epochs):
            self._encoder.key = stream_key(self._seed, "dropped", self.n_steps)
            super().advance(1)
        self._encoder.key = None


@dataclass(kw_only=True, eq=False, repr=False)
class GATCE(EpochEmbedding):
    """GAT+CE: a graph attention network whose heads are averaged in both layers.

    Parameters
    ----------
    n_heads : int
        Attention heads of each layer, of `n_units` columns each.
    dropout : float
        Share of attention weights that is dropped in training; none is when scoring.
    input_dropout : float or None
        The same for the inputs of both layers; None: as `dropout`. PyG's `GATConv(dropout=...)` drops attention
        weights only, which is 0 here.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.GATCE(n_heads=2, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_heads: int = 8
    dropout: float = 0.6
    input_dropout: float | None = None

    def _check_params(self) -> None:
        super()._check_params()
        check_count("n_heads", self.n_heads, 1)
        check_share("dropout", self.dropout)
        if self.input_dropout is not None:
            check_share("input_dropout", self.input_dropout)

    def _encoder(self) -> EncoderFactory:
        return partial(GAT, n_heads=self.n_heads, dropout=self.dropout, input_dropout=self.input_dropout)

    def _operator(self, adjacency: Adjacency) -> Neighbourhoods:
        return Neighbourhoods(with_loops(adjacency), backend_of(self.device).plain)

    def _refuse(self, graph: Graph) -> None:
        what = f"training {self.n_heads} attention heads on {graph.n_nodes:,} nodes and {graph.n_edges:,} edges"
        require_room(self, graph, what, "use fewer heads or units, or a method without them, such as gcn-ce")

    def _width(self) -> int:
        return self.n_heads * self.n_units

    def _training(self, train: Graph) -> Training:
        observed: Any = self._operator(train.adjacency)
        trainer = self.new_trainer(self._encoder(), train)
        return AttentionTraining(trainer, [self._term(train, observed)], observed, self.seed)
