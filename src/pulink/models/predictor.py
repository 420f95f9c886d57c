"""What every link predictor shares: fit, score, probabilities, the list of missing links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import expit

from pulink import metrics
from pulink.engine.memory import require_memory
from pulink.engine.threads import thread_count, use_threads
from pulink.errors import InputError, LeakError, ModelError, NotFittedError, ParameterError
from pulink.graph.graph import Edges, Graph
from pulink.graph.pairs import resolve_pairs
from pulink.graph.split import Split, audit, split
from pulink.models.asked_pairs import AskedPairs
from pulink.models.calibration import Calibration
from pulink.models.parameters import Parametrised, check_count, check_flag, check_share
from pulink.models.prevalence import ASSUMED, MissingLinks, estimate
from pulink.models.store import Stored, load_stored, save_stored

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


_STATE, _CURVE = "state.", "calibration."

# To calibrate, the best pairs are asked one by one: up to so many times the hidden edges, and so many in all.
_LIST, _MOST_LISTED = 8, 1_000_000
# Up to so many nodes they are searched among all pairs.
EXACT_NODES = 200_000

ProgressFunction = Callable[[Progress], None]


@dataclass(frozen=True)
class Validation:
    """Hidden pairs by which a fit chooses when to stop."""

    edges: Edges
    non_edges: Edges


@dataclass(kw_only=True, eq=False, repr=False)
class LinkPredictor(Parametrised, ABC):
    """Base of all predictors: a dataclass whose fields are its settings, judged and used by `fit`.

    Learned: `graph_`, the graph whose edges are known and never proposed again; `state_`, arrays by name, all that
    scoring needs besides that graph's structure; `n_steps_`, gradient steps taken in all.
    """

    # Whether a list of several times the hidden edges is as cheap to find as a short one.
    long_lists: ClassVar[bool] = True
    # What is done while validation edges are held out, for people.
    choosing: ClassVar[str] = "choosing how long"

    val_ratio: float = 0.1
    refit: bool = True
    missing_share: float = ASSUMED
    seed: int = 0
    threads: int | None = None

    graph_: Graph = field(init=False)
    state_: State = field(init=False)
    n_steps_: int = field(init=False)
    _calibration: Calibration | None = field(init=False, default=None)
    _missing: MissingLinks | None = field(init=False, default=None)
    _held: Validation | None = field(init=False, default=None)

    def fit(self, data: Graph | Split, *, progress: ProgressFunction | None = None) -> Self:
        """Learn from a split's training graph, or from a graph that hides its own validation edges.

        With a graph and `refit`, the budget is chosen on held-out validation edges, and the model is then
        trained once more on every edge with that budget.
        """
        self._judge()
        if not isinstance(data, Graph | Split):
            raise ParameterError(f"fit takes a Graph or a Split, got {type(data).__name__}")
        if isinstance(data, Split):
            audit(data)
        self.check_serves(data.train if isinstance(data, Split) else data)
        self._calibration = self._missing = self._held = None
        with use_threads(self.threads):
            self.graph_ = self._fit(data, progress or _silent)
        return self

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
            calibration = self._calibrated(validation)
            if self.refit:
                self._learn(data, None, budget, "refit", report)
            self._calibration = calibration.after_showing()
        return data

    def _calibrated(self, validation: Validation) -> Calibration:
        """Chances by the validation edges among all unconnected pairs of `graph_`."""
        if self._calibration is None:
            n_free = self.graph_.n_pairs - self.graph_.n_edges
            n_listed = min((_LIST if self.long_lists else 1) * len(validation.edges), n_free, _MOST_LISTED)
            listed, _ = self._best_pairs(n_listed, EXACT_NODES)
            asked = AskedPairs.of(self.graph_, listed, validation.edges, self.seed)
            answers = self._pair_scores(asked.pairs.astype(np.int64))
            self._calibration, self._missing = self._judged(answers, asked, self.graph_.n_edges)
        return self._calibration

    def _judged(
        self, scores: npt.NDArray[np.float64], asked: AskedPairs, n_train: int
    ) -> tuple[Calibration, MissingLinks]:
        """What follows from these answers of a model to which `n_train` edges were shown."""
        n_known = n_train + int(asked.labelled.sum())
        share, missing = estimate(scores, asked.labelled, n_known, asked.weights, self.missing_share)
        return Calibration.fit(scores, asked.labelled, share, asked.weights), missing

    def _curve(self) -> Calibration | None:
        """None where no edges could be held out."""
        if self._calibration is None and self._held is not None:
            with use_threads(self.threads):
                self._calibrated(self._held)
        return self._calibration

    def _chances(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        curve = self._curve()
        return self._probabilities(scores) if curve is None else curve.chance(scores)

    def estimate_missing(self) -> MissingLinks | None:
        """How many links are missing from the graph, with an interval; None where no edges could be held out.

        After a fit of a split these are the missing links besides its validation edges.
        """
        self._check_fitted()
        self._curve()
        return self._missing

    def check_settings(self) -> None:
        """Raise if a setting is not allowed; `fit` does the same."""
        self._judge()

    def check_serves(self, graph: Graph) -> None:
        """Raise, before any work, if this method cannot serve the graph; the message says what can."""
        if graph.n_edges == 0:
            raise InputError(f"nothing to learn from: the graph has {graph.n_nodes} nodes and no edges")
        self._refuse(graph)

    def _refuse(self, graph: Graph) -> None:
        """Raise if the graph is beyond this method; subclasses with limits say which, and what can serve it."""

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

    @abstractmethod
    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Logits of pairs (k x 2)."""

    @abstractmethod
    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], str]:
        """The best unconnected pairs, best first, and in words how they were searched."""

    @property
    @abstractmethod
    def best_val_auroc_(self) -> float | None:
        """Validation AUROC of the kept state; None without validation edges."""

    @property
    @abstractmethod
    def budget_words_(self) -> str:
        """How long was trained, for people."""

    @abstractmethod
    def _learned(self) -> tuple[dict[str, Any], State]:
        """What was learned besides `state_`: plain values, and arrays."""

    def _restore(self, stored: Stored) -> None:
        """Take back what `_learned` gave; KeyError, TypeError and ValueError mean that it does not fit."""

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What the method itself believes, where nothing could be held out to calibrate by."""
        return np.asarray(expit(scores), dtype=np.float64)

    def _judge(self) -> None:
        """Check the settings; subclasses add theirs."""
        check_count("seed", self.seed, 0)
        check_share("val_ratio", self.val_ratio)
        check_flag("refit", self.refit)
        check_share("missing_share", self.missing_share)
        thread_count(self.threads)

    def _check_fitted(self) -> None:
        if not hasattr(self, "graph_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def decision_function(self, pairs: object) -> npt.NDArray[np.float64]:
        """Scores of pairs (names, or k x 2 node numbers): any real number, larger for likelier links."""
        self._check_fitted()
        return self._scored(resolve_pairs(self.graph_, pairs))

    def _scored(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Scores of node numbers, on the threads that `fit` took: others may round differently."""
        with use_threads(self.threads):
            return self._pair_scores(pairs.astype(np.int64))

    def predict_proba(self, pairs: object) -> npt.NDArray[np.float64]:
        """The chance of a link for each pair, at the true prevalence; it rises with the score.

        Calibrated by the validation edges. Without any, it is what the method itself believes.
        """
        return self._chances(self.decision_function(pairs))

    def score(self, split: Split) -> dict[str, float]:
        """How well the split's test edges are told from its test non-edges, in fractions of 1."""
        self._check_fitted()
        if not isinstance(split, Split):
            raise ParameterError(f"score takes a Split, got {type(split).__name__}")
        if split.train.n_nodes != self.graph_.n_nodes:
            raise InputError(
                f"the split has {split.train.n_nodes} nodes, the model was fitted on {self.graph_.n_nodes}: "
                "score the split that it was fitted on"
            )
        if not len(split.test_edges):
            raise InputError("the split holds no test edges to score: split with test > 0")
        if n_seen := int(self.graph_.has_edges(split.test_edges).sum()):
            raise LeakError(f"the model was fitted on {n_seen} of the test edges: fit the split, not the graph")
        edges = self._scored(split.test_edges)
        non_edges = self._scored(split.test_non_edges)
        return {
            "auroc": metrics.auroc(edges, non_edges),
            "auprc": metrics.auprc(edges, non_edges),
            "hits_at_50": metrics.hits_at(50, edges, non_edges),
            "mrr": metrics.mean_reciprocal_rank(edges, non_edges),
        }

    def best_pairs(self, top: int, *, exact_nodes: int = EXACT_NODES) -> tuple[npt.NDArray[np.int32], str]:
        """The `top` likeliest unconnected pairs as node numbers, and in words how they were searched.

        Pairs of equal scores come in an order that does not depend on which node is called first: a hash of the
        pair. All unconnected pairs are searched up to `exact_nodes` nodes. Above that: pairs with a node of large
        degree or large norm, and pairs two steps apart.
        """
        self._check_fitted()
        check_count("top", top, 0)
        check_count("exact_nodes", exact_nodes, 0)
        count = min(top, self.graph_.n_pairs - self.graph_.n_edges)
        require_memory(100 * count, f"a list of {count:,} links", "ask for fewer")
        with use_threads(self.threads):
            return self._best_pairs(count, exact_nodes)

    def missing_links(
        self, top: int = 100, *, min_probability: float = 0.0, exact_nodes: int = EXACT_NODES
    ) -> pl.DataFrame:
        """The likeliest unconnected pairs: source, target, probability; best first."""
        return self.search_links(top, min_probability=min_probability, exact_nodes=exact_nodes)[0]

    def search_links(
        self, top: int = 100, *, min_probability: float = 0.0, exact_nodes: int = EXACT_NODES
    ) -> tuple[pl.DataFrame, str]:
        """What `missing_links` gives, and in words which pairs were searched."""
        if not 0 <= min_probability <= 1:
            raise ParameterError(f"min_probability must lie in [0, 1], got {min_probability!r}")
        pairs, searched = self.best_pairs(top, exact_nodes=exact_nodes)
        # The smaller node number first, so that a pair looks the same wherever it was found.
        pairs = np.sort(pairs, axis=1)
        scores = self._scored(pairs)
        # The search ranks in single precision; the list is in the order of the numbers that it shows.
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))
        pairs, scores = pairs[order], scores[order]
        frame = pl.DataFrame(
            {
                "source": self.graph_.names.take(pairs[:, 0]),
                "target": self.graph_.names.take(pairs[:, 1]),
                "probability": self._chances(scores),
            }
        )
        return frame.filter(pl.col("probability") >= min_probability), searched

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
        if (curve := self._curve()) is not None and self._missing is not None:
            tensors |= {f"{_CURVE}{name}": getattr(curve, name) for name in ("scores", "labelled")}
            learned["calibration"] = {"share": curve.share, "shown": curve.shown} | self._missing.to_dict()
        save_stored(folder, Stored(type(self).__name__, params, learned, tensors, self.graph_))

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """A fitted model from its folder. Node features, and encoders that users wrote, are not kept."""
        stored = load_stored(folder, cls.__name__)
        unknown = set(stored.params) - set(cls.parameter_names())
        if unknown:
            raise ModelError(
                f"{folder}: has settings that this pulink does not know: {', '.join(sorted(unknown))}"
            )
        model = cls(**stored.params)
        model.state_ = {
            name.removeprefix(_STATE): array for name, array in stored.tensors.items() if name.startswith(_STATE)
        }
        try:
            model.n_steps_ = int(stored.learned["n_steps"])
            model._restore(stored)
            model._take_back(stored)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{folder}: what was learned does not fit this kind of model ({error})") from error
        model.graph_ = stored.graph
        return model

    def _take_back(self, stored: Stored) -> None:
        """The calibration, if there was one."""
        known = stored.learned.get("calibration")
        if known is None:
            return
        scores, labelled = (stored.tensors[f"{_CURVE}{name}"] for name in ("scores", "labelled"))
        self._calibration = Calibration(scores, labelled, float(known["share"]), bool(known["shown"]))
        self._missing = MissingLinks.from_dict(known)


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
