"""Predictors that score a pair by the inner product of two node embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from pulink import metrics
from pulink.distributed.executor import executor_in_use
from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.search.best_pairs import best_first
from pulink.engine.search.top_by_embedding import top_by_embedding
from pulink.engine.search.two_hop_by_embedding import two_hop_by_embedding
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import KINDS
from pulink.nn.backend import Operator, backend_of
from pulink.nn.encoders import EncoderFactory, encoder_factory
from pulink.nn.inputs import SCALINGS, FeatureInput
from pulink.nn.trainer import Trainer
from pulink.persistence.model_folder import Stored
from pulink.predictor.costs import Sizes, cost_of, encoder_sizes, require_room
from pulink.predictor.fitting.fit_run import State, Validation
from pulink.predictor.new_nodes import NewNodes, encode, refusal
from pulink.predictor.parameters import check_choice, check_count, check_positive
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.search_scope import AllPairs, HubsAndNorms, SearchScope, TooManyNodes
from pulink.predictor.sharded.group_embedding import EMBEDDINGS, ENCODER, GROUP, alone_because, has_group
from pulink.predictor.sharded.group_memory import GroupSizes, require_group_room

F32 = npt.NDArray[np.float32]

_HUB_ROWS = 100
_NORM_ROWS = 1_000


@dataclass(kw_only=True, eq=False, repr=False)
class EmbeddingPredictor(LinkPredictor):
    """Learns `embeddings_` (n x d) and `encoder_state_`, the encoder's parameters by name.

    See Also
    --------
    pulink.GCNCE : the parameters.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    by_roles: ClassVar[str | None] = "linked"

    # Whether a group of processes trained it, whose sums are rounded otherwise than those of one.
    by_group_: ClassVar[bool] = False

    n_units: int = 16
    n_layers: int = 2
    learning_rate: float = 0.01
    feature_scaling: str = "auto"
    device: str = "cpu"

    @property
    def embeddings_(self) -> F32:
        """One row per node; a pair's score is the inner product of two."""
        return self.state_[EMBEDDINGS]

    @property
    def encoder_state_(self) -> dict[str, torch.Tensor]:
        """The encoder's parameters by name."""
        return {
            name.removeprefix(ENCODER): torch.from_numpy(value)
            for name, value in self.state_.items()
            if name.startswith(ENCODER)
        }

    def _check_params(self) -> None:
        super()._check_params()
        check_count("n_units", self.n_units, 1)
        check_count("n_layers", self.n_layers, 1)
        check_positive("learning_rate", self.learning_rate)
        check_choice("feature_scaling", self.feature_scaling, SCALINGS)
        backend_of(self.device)

    def alone_because(self, graph: Graph | None) -> str | None:
        return alone_because(self, graph)

    def n_added(self, n_edges: int) -> int:  # noqa: ARG002 (for those who do)
        """Say how many pairs are added to so many edges at most.

        Parameters
        ----------
        n_edges : int
            Of a graph.

        Returns
        -------
        int
        """
        return 0

    def _refuse(self, graph: Graph) -> None:
        what = f"training on {graph.n_nodes:,} nodes and {graph.n_edges:,} edges"
        if has_group() and self.alone_because(graph) is None:
            sizes = GroupSizes(
                graph.n_nodes,
                graph.n_edges,
                graph.n_features,
                graph.weights is not None,
                self.n_units,
                self.n_layers,
                executor_in_use().n_together,
                self.n_added(graph.n_edges),
            )
            cost = cost_of(self, graph)
            require_group_room(sizes, what, "use fewer processes or units", 0 if cost is None else cost.n_bytes)
            return
        require_room(self, graph, what, "use fewer units or a smaller graph")

    def _width(self) -> int:
        """Numbers that training holds for a node in each layer."""
        return self.n_units

    def sizes(self, graph: Graph) -> Sizes:
        return super().sizes(graph) | encoder_sizes(graph, self._width(), self.n_layers)

    def new_trainer(self, encoder: str | EncoderFactory, train: Graph, first_step: int = 0) -> Trainer:
        """Make an untrained encoder and what trains it.

        Parameters
        ----------
        encoder : str or function
            The name of an encoder, or a function that makes one.
        train : Graph
            What will be trained on.
        first_step : int
            From which step on the random numbers are counted.

        Returns
        -------
        Trainer

        Raises
        ------
        ParameterError
            If what the function makes does not follow the protocol of encoders.
        """
        backend = backend_of(self.device)
        features = FeatureInput.of(train, self.feature_scaling, backend)
        factory = encoder_factory(encoder) if isinstance(encoder, str) else encoder
        module = factory(features.n_columns, self.n_units, self.n_layers, self.seed)
        for step in ("project", "propagate"):
            if not callable(getattr(module, step, None)):
                raise ParameterError(
                    f"encoder makes a {type(module).__name__} without {step}(): see nn/encoders.py"
                )
        return Trainer(module, features, self.learning_rate, self.seed, first_step, backend)

    def propagation(self, adjacency: Adjacency) -> Operator:
        """Give the propagation operator of a graph, on the device that this model trains on.

        Parameters
        ----------
        adjacency : Adjacency
            Of the graph.

        Returns
        -------
        Operator
        """
        return backend_of(self.device).operator(propagation_operator(adjacency))

    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return pair_logits(self.embeddings_, pairs)

    def _untrained(self, graph: Graph, n_columns: int) -> tuple[torch.nn.Module, Any]:  # noqa: ARG002
        """An encoder for inputs of so many columns, and what it propagates over on a graph."""
        raise refusal(self, "how to make its encoder again is not known")

    def _encoded(self, new_nodes: NewNodes) -> F32:
        """Embeddings of all nodes, new ones too, by the trained encoder."""
        if not self.encoder_state_:
            raise refusal(self, "its encoder was not kept")
        backend = backend_of(self.device)
        inputs = new_nodes.feature_input(self.feature_scaling, backend)
        module, operator = self._untrained(new_nodes.graph, inputs.n_columns)
        return encode(module, self.encoder_state_, inputs, operator, backend)

    def _grown_state(self, new_nodes: NewNodes) -> State:
        return self.state_ | {EMBEDDINGS: new_nodes.appended(self.embeddings_, self._encoded(new_nodes))}

    def _restore(self, stored: Stored) -> None:
        if stored.learned.get("engine") == GROUP:
            vars(self)["by_group_"] = True
        embeddings = self.state_.get(EMBEDDINGS)
        if embeddings is None or embeddings.ndim != 2 or len(embeddings) != self._view(stored.graph).n_nodes:
            raise ValueError("its embeddings do not fit its graph")

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], SearchScope]:
        known = self._structure.adjacency
        if self._structure.n_nodes <= exact_nodes:
            return top_by_embedding(self.embeddings_, known, count), AllPairs()
        norms = np.linalg.norm(self.embeddings_, axis=1)
        hubs = np.argsort(-self._structure.degrees, kind="stable")[:_HUB_ROWS]
        large = np.argsort(-norms, kind="stable")[:_NORM_ROWS]
        rows = np.unique(np.concatenate([hubs, large]))
        found = np.concatenate(
            [
                top_by_embedding(self.embeddings_, known, count, rows=rows),
                two_hop_by_embedding(self.embeddings_, known, count),
            ]
        )
        found = self._structure.pair_space.unique(found)
        order = best_first(self._pair_scores(found.astype(np.int64)), found)
        reason = TooManyNodes(self._structure.n_nodes, exact_nodes)
        return found[order[:count]], HubsAndNorms(_HUB_ROWS, _NORM_ROWS, reason)


def validation_auroc(embeddings: F32, validation: Validation) -> float:
    """AUROC of hidden edges against non-edges; scores are logits, which do not tie where σ saturates."""
    return metrics.auroc(pair_logits(embeddings, validation.edges), pair_logits(embeddings, validation.non_edges))


def refuse_divergence(embeddings: F32) -> None:
    """NaN or infinite embeddings are a failure of the fit, not a result."""
    if not np.isfinite(embeddings).all():
        raise InputError(
            "training diverged: embeddings are not finite; lower learning_rate, or rescale features and weights"
        )


def embedding_state(embeddings: F32, encoder: dict[str, torch.Tensor]) -> State:
    """What a predictor that scores by inner products keeps."""
    refuse_divergence(embeddings)
    return {EMBEDDINGS: embeddings} | {f"{ENCODER}{name}": value.numpy() for name, value in encoder.items()}
