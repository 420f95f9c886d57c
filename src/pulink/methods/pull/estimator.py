"""PULL (AAAI'25): Algorithm 1 as an estimator."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import torch

from pulink.calibration.calibrator import Calibrator
from pulink.errors import ParameterError
from pulink.graph.graph import Graph, frozen
from pulink.graph.names import Names
from pulink.graph.spaces.roles import graph_of_roles, nodes_of
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.methods.pull.expected_graph import CANDIDATES, SELECTIONS, n_added_pairs, with_new_nodes
from pulink.methods.pull.loop import ENCODERS, Iteration, Loop, records
from pulink.methods.pull.sharded.fit import learn_together
from pulink.nn.encoders import encoder_factory
from pulink.nn.trainer import REDUCTIONS
from pulink.persistence.model_folder import Stored
from pulink.predictor.by_embedding import EmbeddingPredictor
from pulink.predictor.costs import STEPS, Sizes
from pulink.predictor.fitting.fit_run import FitRun, Learned, Validation
from pulink.predictor.new_nodes import NewNodes, refusal
from pulink.predictor.parameters import check_choice, check_count, check_flag, check_positive
from pulink.predictor.sharded.group_embedding import BY_GROUP, engine_of, has_group
from pulink.text import counted

# Without patience a fit usually ends after so many iterations.
_USUAL_ITERATIONS = 6


@dataclass(kw_only=True, eq=False, repr=False)
class PULL(EmbeddingPredictor):
    """Link prediction for edge-incomplete graphs by positive-unlabelled learning.

    Parameters
    ----------
    n_epochs : int
        Gradient steps of an outer iteration.
    max_iterations : int
        Outer iterations at most.
    growth : float
        r: each iteration adds r · |E_P| more pairs to the expected graph.
    candidates : str
        "hubs": pairs with an end among the `n_hubs` largest degrees; "all": every unconnected pair.
    n_hubs : int
        M, how many nodes count as hubs.
    selection : str
        "top": the most probable candidates; "sample": drawn in proportion to their probability (PULL-WS).
    correction : bool
        Whether L_C keeps the predictor close to the observed graph, from the second iteration on.
    encoder : str or function
        "gcn", "gae" (GCN with GAE's loss), "vgae" (at least two layers) or "vgnae" (propagates once, whatever
        `n_layers` is), or a function (n_columns, n_units, n_layers, seed) that returns a module following the
        protocol in `pulink.nn.encoders`.
    stop : bool
        False: spend all iterations, and keep the best state.
    patience : int
        Stop when validation AUROC has failed to rise in more iterations in a row than this.
    warm_start : bool
        Whether an iteration goes on from the weights and the optimiser's state of the one before.
    reduction : str or None
        "mean" of each loss term, "sum", or "per_class" (mean over edges plus mean over non-edges).
        None: "per_class" for the autoencoders, "mean" otherwise.
    hub_pairs_twice : bool
        A pair of two hubs occupies two cells of the candidate matrix and may be selected twice, as in the
        authors' code: it then counts twice in the loss and propagates with twice its probability. False counts
        it once. On graphs of a few hundred nodes most pairs are pairs of hubs.

    Attributes
    ----------
    expected_graph_ : Graph
        The observed edges and the pairs that were added, weighted by their probability.
    history_, refit_history_ : list of Iteration
        One record for each iteration, of the fit and of the refit on every edge.
    n_iter_ : int
        The iteration whose state is kept.
    stop_reason_ : str
        Why the loop ended.

    See Also
    --------
    pulink.GCNCE : n_units, n_layers, learning_rate, feature_scaling, device; embeddings_, encoder_state_.
    pulink.predictor.predictor.LinkPredictor : parameters, attributes and methods that all predictors share.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.PULL(max_iterations=2, n_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    divides_work: ClassVar[bool] = True
    trains_in_group: ClassVar[bool] = True

    n_epochs: int = 200
    max_iterations: int = 10
    growth: float = 0.05
    candidates: str = "hubs"
    n_hubs: int = 100
    selection: str = "top"
    correction: bool = True
    encoder: Any = "gcn"
    stop: bool = True
    patience: int = 0
    warm_start: bool = True
    reduction: str | None = None
    hub_pairs_twice: bool = True

    expected_graph_: Graph = field(init=False)
    history_: list[Iteration] = field(init=False)
    refit_history_: list[Iteration] = field(init=False)
    n_iter_: int = field(init=False)
    stop_reason_: str = field(init=False)

    def _check_params(self) -> None:
        super()._check_params()
        for name in ("n_epochs", "max_iterations", "n_hubs"):
            check_count(name, getattr(self, name), 1)
        check_count("patience", self.patience, 0)
        check_positive("growth", self.growth)
        check_choice("candidates", self.candidates, CANDIDATES)
        check_choice("selection", self.selection, SELECTIONS)
        for name in ("correction", "stop", "warm_start", "hub_pairs_twice"):
            check_flag(name, getattr(self, name))
        if isinstance(self.encoder, torch.nn.Module):
            raise ParameterError("encoder must be a name or a function that makes a module, got a module")
        if not callable(self.encoder):
            check_choice("encoder", self.encoder, ENCODERS)
        if self.reduction is not None:
            check_choice("reduction", self.reduction, REDUCTIONS)

    def sizes(self, graph: Graph) -> Sizes:
        """Iterations as they are expected of a fit and, with `refit`, of another."""
        usual = _USUAL_ITERATIONS + self.patience if self.stop else self.max_iterations
        return super().sizes(graph) | {STEPS: (1 + self.refit) * min(usual, self.max_iterations) * self.n_epochs}

    def alone_because(self, graph: Graph | None) -> str | None:
        for name, wanted in (("encoder", "gcn"), ("candidates", "hubs"), ("selection", "top")):
            if getattr(self, name) != wanted:
                return f"with another {name} than {wanted!r}"
        return super().alone_because(graph)

    def n_added(self, n_edges: int) -> int:
        return n_added_pairs(n_edges, self.growth, self.max_iterations)

    def _depends_on(self) -> dict[str, list[str]]:
        return BY_GROUP if has_group() and self.alone_because(None) is None else {}

    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        if has_group() and self.alone_because(train) is None:
            return learn_together(self, train, validation, run)
        loop = Loop(self, train, validation, run)
        kept = loop.run()
        # A last E-step with the kept state: an added pair weighs what `predict_proba` says of it.
        expected, history = loop.expect(kept + 1, loop.embeddings).graph(), loop.history
        if isinstance(train.space, TypedPairs) and train.space.twins:
            history = [replace(record, entered=nodes_of(record.entered).astype(np.int32)) for record in history]
            expected = graph_of_roles(expected, Names(train.n_nodes // 2))
        attributes: dict[str, Any] = {"expected_graph_": expected}
        if run.chosen is None:
            attributes |= {"history_": history, "refit_history_": []}
            attributes |= {"n_iter_": kept, "stop_reason_": loop.stop_reason}
        else:
            attributes |= {"refit_history_": history}
        return Learned(kept, loop.state, loop.n_steps, attributes)

    def _untrained(self, graph: Graph, n_columns: int) -> tuple[torch.nn.Module, Any]:
        if isinstance(self.encoder, str) and self.encoder not in ENCODERS:
            raise refusal(self, "an encoder of your own is not kept in a folder")
        factory = encoder_factory(ENCODERS[self.encoder]) if isinstance(self.encoder, str) else self.encoder
        return factory(n_columns, self.n_units, self.n_layers, self.seed), self.propagation(graph.adjacency)

    def _holding(self, learned: Learned, graph: Graph, calibrator: Calibrator | None = None) -> Self:
        model = super()._holding(learned, graph, calibrator)
        model.expected_graph_ = replace(model.expected_graph_, names=graph.names, ends=graph.ends)
        return model

    def _grow(self, new_nodes: NewNodes) -> None:
        super()._grow(new_nodes)
        grown = new_nodes.graph
        if self.graph_.is_directed:
            grown = graph_of_roles(grown, Names(grown.n_nodes // 2))
        self.expected_graph_ = with_new_nodes(self.expected_graph_, grown)

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept state; None without validation edges."""
        return max((record.val_auroc for record in self.history_ if record.val_auroc is not None), default=None)

    @property
    def training_summary_(self) -> str:
        return counted(self.n_iter_, "iteration")

    def _learned(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        learned = {
            "n_iter": self.n_iter_,
            "n_steps": self.n_steps_,
            "stop_reason": self.stop_reason_,
            "history": [record.to_dict() for record in self.history_],
            "refit_history": [record.to_dict() for record in self.refit_history_],
        }
        tensors: dict[str, npt.NDArray[Any]] = {"expected.edges": self.expected_graph_.edges}
        if self.expected_graph_.weights is not None:
            tensors["expected.weights"] = self.expected_graph_.weights
        for name in ("history", "refit_history"):
            for record in getattr(self, f"{name}_"):
                tensors[f"{name}.{record.iteration}"] = record.entered
        return learned | engine_of(self), tensors

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        learned, tensors = stored.learned, stored.tensors
        self.n_iter_ = int(learned["n_iter"])
        self.stop_reason_ = str(learned["stop_reason"])
        self.history_ = records(learned["history"], tensors, "history")
        self.refit_history_ = records(learned["refit_history"], tensors, "refit_history")
        weights = tensors.get("expected.weights")
        self.expected_graph_ = Graph(
            edges=frozen(tensors["expected.edges"]),
            n_nodes=stored.graph.n_nodes,
            weights=None if weights is None else frozen(weights),
            names=stored.graph.names,
            space=stored.graph.space,
            ends=stored.graph.ends,
        )
