"""What every link predictor shares: fit, save and load; what a fitted one answers is in `fitted_model`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.rank_transfer import RankedScores
from pulink.engine.threads import thread_count, use_threads
from pulink.errors import InputError, ModelError, ParameterError
from pulink.graph.graph import Edges, Graph
from pulink.graph.split import Split, audit, split
from pulink.persistence.checkpoints import NO_CHECKPOINTS, Checkpoints, FitCheckpoints, fit_key
from pulink.persistence.model_folder import UNFIT, Stored, load_stored, misfit, save_stored, why
from pulink.predictor.answers import EXACT_NODES, FittedModel
from pulink.predictor.costs import Sizes, plain_sizes, require_room
from pulink.predictor.load_check import refuse_unsound
from pulink.predictor.new_nodes import NewNodes, grown, refusal
from pulink.predictor.parameters import check_count, check_flag, check_share
from pulink.renamed import Renamed, take_over_old_names
from pulink.text import counted

# Learned arrays by name: all that scoring needs besides the graph's structure.
State = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Progress:
    """Where a fit stands; handed to the `progress` function now and then."""

    stage: str  # "choose" while validation edges are held out, "refit" on the whole graph
    done: int
    total: int
    iteration: int | None  # None for methods without an outer loop
    val_auroc: float | None


_STATE = "state."

# To calibrate, the best pairs are asked one by one: up to so many times the hidden edges, and so many in all.
_LIST, _MOST_LISTED = 8, 1_000_000

ProgressFunction = Callable[[Progress], None]


@dataclass(frozen=True)
class Validation:
    """Hidden pairs by which a fit chooses when to stop."""

    edges: Edges
    non_edges: Edges


@dataclass(kw_only=True, eq=False, repr=False)
class LinkPredictor(FittedModel):
    """Base of all predictors: a dataclass whose fields are its settings, judged and used by `fit`.

    Learned: `graph_`, the graph whose edges are known and never proposed again; `state_`, arrays by name, all that
    scoring needs besides that graph's structure; `n_steps_`, gradient steps taken in all.
    """

    # Whether a list of several times the hidden edges is as cheap to find as a short one.
    cheap_long_search: ClassVar[bool] = True
    long_lists = Renamed("cheap_long_search")
    # What is done while validation edges are held out, for people.
    choosing: ClassVar[str] = "choosing how long"

    val_ratio: float = 0.1
    refit: bool = True
    missing_share: float | None = None
    seed: int = 0
    threads: int | None = None

    graph_: Graph = field(init=False)
    state_: State = field(init=False)
    n_steps_: int = field(init=False)
    _calibrator: Calibrator | None = field(init=False, default=None)
    _held: Validation | None = field(init=False, default=None)
    _checkpoints: FitCheckpoints = field(init=False, default=NO_CHECKPOINTS)

    def fit(
        self,
        data: Graph | Split,
        *,
        progress: ProgressFunction | None = None,
        checkpoints: str | Path | Checkpoints | None = None,
    ) -> Self:
        """Learn from a split's training graph, or from a graph that hides its own validation edges.

        With a graph and `refit`, the budget is chosen on held-out validation edges, and the model is then
        trained once more on every edge with that budget.

        checkpoints  a folder: a fit that was stopped goes on where it stood, when it is started again with the
                     same settings and data, and ends with the same model. What is kept stays until you remove it
        """
        self._check_params()
        if not isinstance(data, Graph | Split):
            raise ParameterError(f"fit takes a Graph or a Split, got {type(data).__name__}")
        if isinstance(data, Split):
            audit(data)
        self.check_serves(data.train if isinstance(data, Split) else data)
        self._forget()
        folder = Checkpoints(checkpoints) if isinstance(checkpoints, str | Path) else checkpoints
        self._checkpoints = checkpoints_of(self, data, folder)
        try:
            with use_threads(self.threads):
                self.graph_ = self._fit(data, progress or _silent)
        except BaseException:
            self._forget()
            raise
        finally:
            self._checkpoints = NO_CHECKPOINTS
        return self

    def _forget(self) -> None:
        """Of an earlier fit nothing is left, not even where this one fails."""
        for name in [own for own in vars(self) if own.endswith("_")]:
            delattr(self, name)
        self._calibrator = self._held = None

    def checkpoint_key(self, data: Graph | Split) -> str | None:
        """What checkpoints of such a fit are filed under; None if functions that you wrote are part of it."""
        settings = self.get_params() | {"threads": thread_count(self.threads)}
        if any(callable(value) for value in settings.values()):
            return None
        return fit_key(type(self).__name__, {name: _plain(value) for name, value in settings.items()}, data)

    def _fit(self, data: Graph | Split, report: ProgressFunction) -> Graph:
        if isinstance(data, Split):
            # Calibrated when somebody asks for a probability: a comparison of methods does not.
            self._held = _validation(data)
            self._learn(data.train, self._held, None, "choose", report)
            return data.train
        held = split(data, val=self.val_ratio, test=0.0, seed=self.seed)
        validation = _validation(held)
        budget = self._learn(held.train, validation, None, "choose", report)
        if validation is not None:
            self.graph_ = held.train
            calibrator, refit = self._judged(validation), None
            if self.refit:
                self._learn(data, None, budget, "refit", report)
                self.graph_ = data
                refit = self._ranked_scores(len(validation.edges))
            self._calibrator = calibrator.after_showing(refit)
        return data

    def _judged(self, validation: Validation) -> Calibrator:
        """By the validation edges among all unconnected pairs of `graph_`."""
        if self._calibrator is None:
            asked, scores = self._asked(validation.edges, len(validation.edges))
            self._calibrator = Calibrator.of(scores, asked, self.graph_.n_edges, self.missing_share, self.seed)
        return self._calibrator

    def _ranked_scores(self, n_hidden: int) -> RankedScores:
        """Of all unconnected pairs of `graph_`, looked at as closely as for so many hidden edges."""
        asked, scores = self._asked(np.empty((0, 2), dtype=np.int32), n_hidden)
        return RankedScores.of(scores, asked.weights)

    def _asked(self, hidden: Edges, n_hidden: int) -> tuple[PairSample, npt.NDArray[np.float64]]:
        """The best pairs one by one, the hidden edges, and a sample of all others, with their scores."""
        n_free = self.graph_.n_pairs - self.graph_.n_edges
        n_listed = min((_LIST if self.cheap_long_search else 1) * n_hidden, _MOST_LISTED)
        listed, _ = self._best_pairs(min(n_listed + self.graph_.n_absent, n_free), EXACT_NODES)
        asked = PairSample.of(self.graph_, listed, hidden, self.seed)
        return asked, self._pair_scores(asked.pairs.astype(np.int64))

    def _ready_calibrator(self) -> Calibrator | None:
        """None where no edges could be held out."""
        self._check_fitted()
        if self._calibrator is None and self._held is not None:
            with use_threads(self.threads):
                self._judged(self._held)
        return self._calibrator

    def check_settings(self) -> None:
        """Raise if a setting is not allowed; `fit` does the same."""
        self._check_params()

    def check_serves(self, graph: Graph) -> None:
        """Raise, before any work, if this method cannot serve the graph; the message says what can."""
        if graph.n_edges == 0:
            nodes = counted(graph.n_nodes, "node")
            loops = f" ({graph.cleaning})" if graph.cleaning.n_loops else ""
            raise InputError(
                f"nothing to learn from: the graph has {nodes} and no edges{loops}; "
                "an edge between two different nodes is the least"
            )
        self._refuse(graph)

    def _refuse(self, graph: Graph) -> None:
        """Raise if the graph is beyond this method; subclasses with limits say which, and what can serve it."""
        what = f"{type(self).__name__} on {graph.n_nodes:,} nodes and {graph.n_edges:,} edges"
        require_room(self, graph, what, "use a smaller graph")

    def sizes(self, graph: Graph) -> Sizes:
        """What the memory and the time of a fit grow with, by name; subclasses add what only they hold."""
        n_listed = (_LIST if self.cheap_long_search else 1) * self.val_ratio * graph.n_edges
        return plain_sizes(graph) | {"listed": min(n_listed, graph.n_pairs - graph.n_edges, _MOST_LISTED)}

    @abstractmethod
    def _learn(
        self,
        train: Graph,
        validation: Validation | None,
        budget: int | None,
        stage: str,
        progress: ProgressFunction,
    ) -> int:
        """Train; return the chosen budget (iterations or epochs). With a budget given, spend exactly that."""

    @property
    @abstractmethod
    def training_summary_(self) -> str:
        """How long was trained, for people."""

    budget_words_ = Renamed("training_summary_")

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        take_over_old_names(cls)

    @abstractmethod
    def _learned(self) -> tuple[dict[str, Any], State]:
        """What was learned besides `state_`: plain values, and arrays."""

    def _restore(self, stored: Stored) -> None:
        """Take back what `_learned` gave; KeyError, TypeError and ValueError mean that it does not fit."""

    def _check_params(self) -> None:
        """Check the settings; subclasses add theirs."""
        check_count("seed", self.seed, 0)
        check_share("val_ratio", self.val_ratio)
        check_flag("refit", self.refit)
        if self.missing_share is not None:
            check_share("missing_share", self.missing_share)
        thread_count(self.threads)

    def with_nodes(
        self, names: object, edges: object, features: object = None, *, weights: npt.ArrayLike | None = None
    ) -> Self:
        """A fitted model whose graph has these nodes too, without training again; this one stays as it is.

        names     of the new nodes, which are none yet
        edges     pairs of names: their first edges, each with a new end at least
        features  their attributes in the columns of the graph's (k x d); None: nothing is known of them
        weights   one per edge of a weighted graph; None: the median of its weights

        Scores of old pairs change where the method looks at the structure around them. Chances are those of the
        fit, and so is the estimate of how many links are missing.
        """
        return grown(self, names, edges, features, weights)

    def _grow(self, new_nodes: NewNodes) -> None:
        """Take nodes in; `graph_` is still the old graph."""
        self.state_ = self._grown_state(new_nodes)

    def _grown_state(self, new_nodes: NewNodes) -> State:  # noqa: ARG002 (for those who can)
        """`state_` with rows for nodes that were appended."""
        raise refusal(self, "what it learned of nodes cannot be told of others")

    def summary(self) -> dict[str, Any]:
        """What was learned, but for arrays and the clock."""
        self._check_fitted()
        return self._learned()[0]

    def save(self, folder: str | Path) -> None:
        """Write a model folder: safetensors, JSON and Parquet with checksums; an older model there is replaced."""
        self._check_fitted()
        params = {name: _plain(value) for name, value in self.get_params().items()}
        learned, arrays = self._learned()
        tensors = {f"{_STATE}{name}": array for name, array in self.state_.items()} | arrays
        learned |= {"n_steps": self.n_steps_}
        if (calibrator := self._ready_calibrator()) is not None:
            learned["calibration"], curves = calibrator.stored()
            tensors |= curves
        save_stored(folder, Stored(type(self).__name__, params, learned, tensors, self.graph_))

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """A fitted model from its folder. Encoders that users wrote are not kept."""
        stored = load_stored(folder, cls.__name__)
        unknown = set(stored.params) - set(cls.parameter_names())
        if unknown:
            names = why(ValueError(", ".join(sorted(unknown))))
            raise ModelError(f"{folder}: has settings that this pulink does not know: {names}")
        model = cls(**stored.params)
        model.state_ = {
            name.removeprefix(_STATE): array for name, array in stored.tensors.items() if name.startswith(_STATE)
        }
        try:
            model.n_steps_ = int(stored.learned["n_steps"])
            model._restore(stored)
            if (known := stored.learned.get("calibration")) is not None:
                model._calibrator = Calibrator.from_stored(known, stored.tensors)
        except UNFIT as error:
            raise misfit(folder, error) from error
        model.graph_ = stored.graph
        refuse_unsound(model, folder)
        return model


def checkpoints_of(model: LinkPredictor, data: Graph | Split, checkpoints: Checkpoints | None) -> FitCheckpoints:
    """What a fit has kept, and will keep."""
    key = None if checkpoints is None else model.checkpoint_key(data)
    return NO_CHECKPOINTS if checkpoints is None or key is None else checkpoints.of(key)


def _validation(data: Split) -> Validation | None:
    return Validation(data.val_edges, data.val_non_edges) if len(data.val_edges) else None


def _plain(value: Any) -> Any:
    """A setting as JSON can hold it; an encoder that a user wrote is only named."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return f"custom: {getattr(value, '__qualname__', type(value).__qualname__)}"


def _silent(_: Progress) -> None:
    return None
