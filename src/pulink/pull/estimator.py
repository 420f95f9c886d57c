"""PULL (AAAI'25): Algorithm 1 as an estimator."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.errors import ParameterError
from pulink.graph.graph import Graph, frozen
from pulink.graph.pairs import pair_codes
from pulink.models.costs import STEPS, Sizes
from pulink.models.embedding import (
    EmbeddingPredictor,
    embedding_state,
    refuse_divergence,
    validation_auroc,
)
from pulink.models.encoders import encoder_factory
from pulink.models.new_nodes import Growth, refusal
from pulink.models.parameters import check_choice, check_count, check_flag, check_positive
from pulink.models.predictor import Progress, ProgressFunction, Validation
from pulink.models.store import Stored
from pulink.models.training import REDUCTIONS, LossTerm, Trainer
from pulink.pull.expected_graph import (
    CANDIDATES,
    SELECTIONS,
    ExpectedGraph,
    expect,
    n_added_pairs,
    unchanged,
    with_new_nodes,
)

Floats = npt.NDArray[np.float32]

# PULL's names of encoders; "gae" is the GCN with another loss.
ENCODERS = {"gcn": "gcn", "gae": "gcn", "vgae": "vgae", "vgnae": "vgnae"}

# Without patience a fit usually ends after so many iterations.
_USUAL_ITERATIONS = 6


@dataclass(frozen=True)
class Iteration:
    """One round of the outer loop.

    k                K: observed edges and selected cells; a pair of two hubs may be selected in both its cells
    loss_expected    L'_E of the last epoch
    loss_correction  L_C of the last epoch; None where it is not used
    val_auroc        None without validation edges
    seconds          None in a model that was loaded
    entered          k x 2: the pairs that were added in this round for the first time
    """

    iteration: int
    k: int
    loss_expected: float
    loss_correction: float | None
    val_auroc: float | None
    seconds: float | None
    entered: npt.NDArray[np.int32]

    def to_dict(self) -> dict[str, Any]:
        """Without the clock and the pairs: equal runs give equal records."""
        return {
            "iteration": self.iteration,
            "k": self.k,
            "loss_expected": self.loss_expected,
            "loss_correction": self.loss_correction,
            "val_auroc": self.val_auroc,
            "n_entered": len(self.entered),
        }


@dataclass(kw_only=True, eq=False, repr=False)
class PULL(EmbeddingPredictor):
    """Link prediction for edge-incomplete graphs by positive-unlabelled learning.

    >>> import pulink
    >>> graph = pulink.load("sample")
    >>> model = pulink.PULL(max_iterations=1, n_epochs=1).fit(graph)
    >>> model.missing_links(3).columns
    ['source', 'target', 'probability']

    Parameters
    ----------
    n_units, n_layers, learning_rate
        The encoder's width and depth, and Adam's step. VGAE has at least two layers; VGNAE propagates once,
        whatever the depth.
    n_epochs, max_iterations
        Inner gradient steps per outer iteration, and how many of those at most.
    growth
        r: each iteration adds r · |E_P| more pairs to the expected graph.
    candidates, n_hubs
        "hubs": pairs with an end among the `n_hubs` (M) largest degrees; "all": every unconnected pair.
    selection
        "top": the most probable candidates; "sample": drawn in proportion to their probability (PULL-WS).
    correction
        Whether L_C keeps the predictor close to the observed graph, from the second iteration on.
    encoder
        "gcn", "gae" (GCN with GAE's loss), "vgae" or "vgnae", or a function (n_columns, n_units, n_layers,
        seed) that returns a module following the protocol in `pulink.models.encoders`.
    stop, patience
        Stop when validation AUROC has failed to rise in more than `patience` iterations in a row.
    warm_start
        Whether an iteration goes on from the weights and the optimiser's state of the one before.
    reduction
        "mean" of each loss term, "sum", or "per_class" (mean over edges plus mean over non-edges).
        None: "per_class" for the autoencoders, "mean" otherwise.
    hub_pairs_twice
        A pair of two hubs occupies two cells of the candidate matrix and may be selected twice, as in the
        authors' code: it then counts twice in the loss and propagates with twice its probability. False counts
        it once. On graphs of a few hundred nodes most pairs are pairs of hubs.
    feature_scaling
        "auto", "rows", "standard" or "none": see `pulink.models.features.scale_features`.
    val_ratio, refit
        For `fit(graph)`: the share of edges hidden to choose the number of iterations, and whether to train
        once more on every edge with that number.
    seed, threads
        Where randomness comes from; how many threads to use (None: PULINK_THREADS, else half the cores).
    device
        "cpu" takes pulink's own kernels; any other PyTorch device takes plain PyTorch operations, and so does
        "plain", on the CPU, for comparison.

    Learned: `embeddings_`, `encoder_state_`, `expected_graph_`, `history_`, `refit_history_`, `n_iter_` (the
    iteration whose state is kept), `stop_reason_`, `n_steps_` (gradient steps taken in all), `graph_`.
    """

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

    def _judge(self) -> None:
        super()._judge()
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

    def _learn(
        self,
        train: Graph,
        validation: Validation | None,
        budget: int | None,
        stage: str,
        progress: ProgressFunction,
    ) -> int:
        loop = _Loop(self, train, validation, stage, progress)
        kept = loop.run(budget or self.max_iterations)
        self.state_ = loop.state
        # A last E-step with the kept state: an added pair weighs what `predict_proba` says of it.
        self.expected_graph_ = loop.expect(kept + 1, loop.embeddings).graph()
        self.n_steps_ = loop.n_steps + (self.n_steps_ if stage == "refit" else 0)
        if stage == "refit":
            self.refit_history_ = loop.history
        else:
            self.history_, self.n_iter_, self.stop_reason_ = loop.history, kept, loop.stop_reason
            self.refit_history_ = []
        return kept

    def _untrained(self, graph: Graph, n_columns: int) -> tuple[torch.nn.Module, Any]:
        if isinstance(self.encoder, str) and self.encoder not in ENCODERS:
            raise refusal(self, "an encoder of your own is not kept in a folder")
        factory = encoder_factory(ENCODERS[self.encoder]) if isinstance(self.encoder, str) else self.encoder
        return factory(n_columns, self.n_units, self.n_layers, self.seed), self.propagation(graph.adjacency)

    def _grow(self, growth: Growth) -> None:
        super()._grow(growth)
        self.expected_graph_ = with_new_nodes(self.expected_graph_, growth.graph)

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept state; None without validation edges."""
        return max((record.val_auroc for record in self.history_ if record.val_auroc is not None), default=None)

    @property
    def budget_words_(self) -> str:
        return f"{self.n_iter_} iteration{'s' * (self.n_iter_ != 1)}"

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
        return learned, tensors

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        learned, tensors = stored.learned, stored.tensors
        self.n_iter_ = int(learned["n_iter"])
        self.stop_reason_ = str(learned["stop_reason"])
        self.history_ = _records(learned["history"], tensors, "history")
        self.refit_history_ = _records(learned["refit_history"], tensors, "refit_history")
        weights = tensors.get("expected.weights")
        self.expected_graph_ = Graph(
            edges=frozen(tensors["expected.edges"]),
            n_nodes=stored.graph.n_nodes,
            weights=None if weights is None else frozen(weights),
            names=stored.graph.names,
        )


def _records(values: list[dict[str, Any]], tensors: dict[str, npt.NDArray[Any]], name: str) -> list[Iteration]:
    return [
        Iteration(
            iteration=int(value["iteration"]),
            k=int(value["k"]),
            loss_expected=float(value["loss_expected"]),
            loss_correction=value["loss_correction"],
            val_auroc=value["val_auroc"],
            seconds=None,
            entered=tensors[f"{name}.{value['iteration']}"],
        )
        for value in values
    ]


class _Loop:
    """The outer loop of one fit, and what it carries from one iteration to the next."""

    def __init__(
        self,
        model: PULL,
        train: Graph,
        validation: Validation | None,
        stage: str,
        progress: ProgressFunction,
    ) -> None:
        self.model = model
        self.train = train
        self.validation = validation
        self.stage = stage
        self.progress = progress
        self.observed = model.propagation(train.adjacency)
        self.history: list[Iteration] = []
        self.stop_reason = "max_iterations"
        self.n_steps = 0
        self._added_before = np.empty(0, dtype=np.int64)

    def run(self, max_iterations: int) -> int:
        """Algorithm 1: expect, select, maximise, score, stop. Returns the iteration whose state is kept."""
        trainer = self._new_trainer()
        z = np.empty((0, 0), dtype=np.float32)
        kept, best, misses = 0, -np.inf, 0
        for t in range(1, max_iterations + 1):
            started = time.perf_counter()
            expected = unchanged(self.train) if t == 1 else self.expect(t, z)
            if t > 1 and not self.model.warm_start:
                trainer = self._new_trainer()
            losses, z = self._maximise(trainer, expected, t, max_iterations)
            embeddings = trainer.embed(self.observed)
            refuse_divergence(embeddings)
            auroc = None if self.validation is None else validation_auroc(embeddings, self.validation)
            self._remember(t, expected, losses, auroc, time.perf_counter() - started)
            if auroc is None or auroc > best:
                kept, best, misses = t, -np.inf if auroc is None else auroc, 0
                self.embeddings, self.state = embeddings, embedding_state(embeddings, trainer.state())
            else:
                misses += 1
                if self.model.stop and misses > self.model.patience:
                    self.stop_reason = "validation AUROC no longer rises"
                    break
        return kept

    def expect(self, iteration: int, z: Floats) -> ExpectedGraph:
        """E-step (lines 4 to 6): the expected graph of embeddings z, approximated by K pairs."""
        model = self.model
        sample_key = None
        if model.selection == "sample":
            sample_key = stream_key(model.seed, "sample", iteration)
        return expect(
            self.train,
            z,
            n_added_pairs(self.train.n_edges, model.growth, iteration),
            candidates=model.candidates,
            n_hubs=model.n_hubs,
            hub_pairs_twice=model.hub_pairs_twice,
            sample_key=sample_key,
        )

    def _maximise(
        self, trainer: Trainer, expected: ExpectedGraph, iteration: int, max_iterations: int
    ) -> tuple[list[float], Floats]:
        """M-step (line 7): `n_epochs` steps on L = L'_E + L_C (equations 5 and 6)."""
        terms = self._terms(expected, iteration)
        last = self.history[-1].val_auroc if self.history else None
        per_iteration = self.model.n_epochs
        before = (iteration - 1) * per_iteration - self.n_steps

        def report() -> None:
            self.n_steps += 1
            done = before + self.n_steps
            self.progress(Progress(self.stage, done, max_iterations * per_iteration, iteration, last))

        trainer.train(terms, per_iteration - 1, report)
        # The next expected graph is built from here: the last embeddings before the last step, without noise.
        z = trainer.embed(terms[0].adjacency)
        return trainer.train(terms, 1, report), z

    def _terms(self, expected: ExpectedGraph, iteration: int) -> list[LossTerm]:
        adjacency = self.observed if iteration == 1 else self.model.propagation(expected.adjacency)
        outside = NonEdgeSampler(expected.adjacency)
        reduction = self._reduction()
        terms = [
            LossTerm(
                adjacency=adjacency,
                positives=expected.pairs,
                targets=expected.targets,
                counts=expected.entry_counts,
                n_non_edges=int(expected.entry_counts.sum()),
                sampler=outside,
                reduction=reduction,
                absent=self.train.absent,
            )
        ]
        if self.model.correction and iteration > 1:
            ones = np.ones(self.train.n_edges, dtype=np.float32)
            terms.append(
                LossTerm(self.observed, self.train.edges, ones, ones, self.train.n_edges, outside, reduction)
            )
        return terms

    def _reduction(self) -> str:
        if self.model.reduction is not None:
            return self.model.reduction
        return "per_class" if self.model.encoder in ("gae", "vgae", "vgnae") else "mean"

    def _new_trainer(self) -> Trainer:
        name = self.model.encoder
        encoder = ENCODERS[name] if isinstance(name, str) else name
        return self.model.new_trainer(encoder, self.train, first_step=self.n_steps)

    def _remember(
        self, t: int, expected: ExpectedGraph, losses: list[float], auroc: float | None, seconds: float
    ) -> None:
        codes = pair_codes(expected.added, self.train.n_nodes)
        entered = expected.added[~np.isin(codes, self._added_before)]
        self._added_before = np.union1d(self._added_before, codes)
        self.history.append(
            Iteration(
                iteration=t,
                k=self.train.n_edges + expected.n_cells,
                loss_expected=losses[0],
                loss_correction=losses[1] if len(losses) > 1 else None,
                val_auroc=auroc,
                seconds=seconds,
                entered=entered,
            )
        )
