"""What every link predictor shares: fit, score, probabilities, the list of missing links."""

from __future__ import annotations

import copy
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
from pulink.graph.notebook import card
from pulink.graph.pairs import resolve_node, resolve_pairs
from pulink.graph.split import Split, audit, split
from pulink.models.asked_pairs import AskedPairs
from pulink.models.checkpoints import NOWHERE, Checkpoints, Pieces, fit_key
from pulink.models.costs import Sizes, plain_sizes, require_room
from pulink.models.judgement import Judgement
from pulink.models.link_lists import as_came, best_of_each, frame, length_of, ordered
from pulink.models.new_nodes import Growth, grown, refusal
from pulink.models.parameters import Parametrised, check_count, check_flag, check_share
from pulink.models.prevalence import ASSUMED, MissingLinks
from pulink.models.reliability import Reliability
from pulink.models.sound_model import refuse_unsound
from pulink.models.store import UNFIT, Stored, load_stored, misfit, save_stored, why

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
    _judgement: Judgement | None = field(init=False, default=None)
    _held: Validation | None = field(init=False, default=None)
    _pieces: Pieces = field(init=False, default=NOWHERE)

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
        self._judge()
        if not isinstance(data, Graph | Split):
            raise ParameterError(f"fit takes a Graph or a Split, got {type(data).__name__}")
        if isinstance(data, Split):
            audit(data)
        self.check_serves(data.train if isinstance(data, Split) else data)
        self._forget()
        folder = Checkpoints(checkpoints) if isinstance(checkpoints, str | Path) else checkpoints
        self._pieces = pieces_of(self, data, folder)
        try:
            with use_threads(self.threads):
                self.graph_ = self._fit(data, progress or _silent)
        except BaseException:
            self._forget()
            raise
        finally:
            self._pieces = NOWHERE
        return self

    def _forget(self) -> None:
        """Of an earlier fit nothing is left, not even where this one fails."""
        for name in [own for own in vars(self) if own.endswith("_")]:
            delattr(self, name)
        self._judgement = self._held = None

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
            judgement = self._judged(validation)
            if self.refit:
                self._learn(data, None, budget, "refit", report)
            self._judgement = judgement.after_showing()
        return data

    def _judged(self, validation: Validation) -> Judgement:
        """By the validation edges among all unconnected pairs of `graph_`."""
        if self._judgement is None:
            n_free = self.graph_.n_pairs - self.graph_.n_edges
            n_listed = min((_LIST if self.long_lists else 1) * len(validation.edges), n_free, _MOST_LISTED)
            listed, _ = self._best_pairs(n_listed, EXACT_NODES)
            asked = AskedPairs.of(self.graph_, listed, validation.edges, self.seed)
            scores = self._pair_scores(asked.pairs.astype(np.int64))
            self._judgement = Judgement.of(scores, asked, self.graph_.n_edges, self.missing_share, self.seed)
        return self._judgement

    def _ready_judgement(self) -> Judgement | None:
        """None where no edges could be held out."""
        self._check_fitted()
        if self._judgement is None and self._held is not None:
            with use_threads(self.threads):
                self._judged(self._held)
        return self._judgement

    def _chances(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        judgement = self._ready_judgement()
        return self._probabilities(scores) if judgement is None else judgement.curve.chance(scores)

    def estimate_missing(self) -> MissingLinks | None:
        """How many links are missing from the graph, with an interval; None where no edges could be held out.

        After a fit of a split these are the missing links besides its validation edges.
        """
        judgement = self._ready_judgement()
        return None if judgement is None else judgement.missing

    def assuming(self, missing_share: float) -> Self:
        """The same fitted model, but of all links another share is thought missing: nothing is trained again.

        Probabilities, the estimate of missing links and trusted lists follow from it; the order of pairs does not.
        """
        check_share("missing_share", missing_share)
        judgement = self._ready_judgement()
        other = copy.copy(self)
        other.missing_share = missing_share
        if judgement is not None:
            n_hidden = 0 if judgement.curve.shown or self._held is None else len(self._held.edges)
            other._judgement = judgement.assuming(missing_share, self.graph_.n_edges + n_hidden)
        return other

    def reliability(self) -> Reliability | None:
        """Whether probabilities are kept, by halves of the hidden edges; None where none could be held out."""
        judgement = self._ready_judgement()
        return None if judgement is None else judgement.reliability

    def check_settings(self) -> None:
        """Raise if a setting is not allowed; `fit` does the same."""
        self._judge()

    def check_serves(self, graph: Graph) -> None:
        """Raise, before any work, if this method cannot serve the graph; the message says what can."""
        if graph.n_edges == 0:
            nodes = f"{graph.n_nodes} node{'s' * (graph.n_nodes != 1)}"
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
        n_listed = (_LIST if self.long_lists else 1) * self.val_ratio * graph.n_edges
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

        Calibrated by the validation edges. Without any, it is what the method itself believes. A pair that is
        known to be no link has no chance.
        """
        self._check_fitted()
        numbers = resolve_pairs(self.graph_, pairs)
        return np.where(self.graph_.is_absent(numbers), 0.0, self._chances(self._scored(numbers)))

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
        graph = self.graph_
        count = min(top, graph.n_pairs - graph.n_edges - graph.n_absent)
        require_memory(100 * count, f"a list of {count:,} links", "ask for fewer")
        with use_threads(self.threads):
            found, searched = self._best_pairs(count + graph.n_absent, exact_nodes)
        return found[~graph.is_absent(found)][:count], searched

    def missing_links(
        self,
        top: int | None = None,
        *,
        min_probability: float = 0.0,
        fdr: float | None = None,
        exact_nodes: int = EXACT_NODES,
    ) -> Any:
        """The likeliest unconnected pairs: source, target, probability; best first.

        A polars frame, or a pandas frame if the graph came from one.

        top              how many; 100 by default, and with `fdr` as many as it allows
        min_probability  leave out links below it
        fdr              the longest list of which at most this share is expected to be false
        """
        found, _ = self.search_links(top, min_probability=min_probability, fdr=fdr, exact_nodes=exact_nodes)
        return as_came(found, self.graph_.frames)

    def search_links(
        self,
        top: int | None = None,
        *,
        min_probability: float = 0.0,
        fdr: float | None = None,
        exact_nodes: int = EXACT_NODES,
    ) -> tuple[pl.DataFrame, str]:
        """What `missing_links` gives, and in words which pairs were searched."""
        _check_least(min_probability)
        self._check_fitted()
        found, searched = self.best_pairs(length_of(self, top, fdr), exact_nodes=exact_nodes)
        pairs, scores = ordered(found, self._scored(found))
        if fdr is not None and (judgement := self._ready_judgement()) is not None:
            n_kept = min(judgement.false_links.longest(fdr), len(scores) if top is None else top)
            pairs, scores = pairs[:n_kept], scores[:n_kept]
        return frame(self, pairs, scores, min_probability), searched

    def suggest(self, node: object, top: int = 10, *, min_probability: float = 0.0) -> Any:
        """The likeliest missing links of one node (a name, or a node number): source, target, probability."""
        self._check_fitted()
        check_count("top", top, 0)
        _check_least(min_probability)
        own = resolve_node(self.graph_, node)
        others = self._partners(own)
        pairs = np.stack([np.full(len(others), own), others], axis=1)
        scores = self._scored(pairs)
        order = np.lexsort((others, -scores))[:top]
        return as_came(frame(self, pairs[order], scores[order], min_probability), self.graph_.frames)

    def links_per_node(self, count: int = 5, *, min_probability: float = 0.0) -> tuple[pl.DataFrame, str]:
        """Every node's `count` likeliest missing links, and in words which pairs were searched.

        The source of a row is the node, and a pair may stand in the rows of both its ends. Nodes come in their
        order, each with its best link first. Where not all pairs can be searched, a node may get fewer.
        """
        self._check_fitted()
        check_count("count", count, 1)
        _check_least(min_probability)
        pairs, scores, searched = best_of_each(self, count)
        return frame(self, pairs, scores, min_probability), searched

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

    def _grow(self, growth: Growth) -> None:
        """Take nodes in; `graph_` is still the old graph."""
        self.state_ = self._grown_state(growth)

    def _grown_state(self, growth: Growth) -> State:  # noqa: ARG002 (for those who can)
        """`state_` with rows for nodes that were appended."""
        raise refusal(self, "what it learned of nodes cannot be told of others")

    def _partners(self, node: int) -> npt.NDArray[np.int64]:
        """Nodes of which it is not known whether they are linked to a node."""
        free = np.ones(self.graph_.n_nodes, dtype=np.bool_)
        free[[node, *self.graph_.neighbours(node), *self.graph_.checked_partners(node)]] = False
        return np.flatnonzero(free)

    def _repr_html_(self) -> str:
        changed = [(name, repr(value)) for name, value in self.changed().items()]
        if not hasattr(self, "graph_"):
            return card(f"{type(self).__name__}, not fitted", changed)
        rows = [("fitted on", repr(self.graph_)), *changed]
        if self.best_val_auroc_ is not None:
            rows.append(("AUROC on hidden edges", f"{self.best_val_auroc_:.4f}"))
        if self._judgement is not None:
            rows.append(("missing links", str(self._judgement.missing)))
        return card(type(self).__name__, rows)

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
        if (judgement := self._ready_judgement()) is not None:
            learned["calibration"], curves = judgement.stored()
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
                model._judgement = Judgement.from_stored(known, stored.tensors)
        except UNFIT as error:
            raise misfit(folder, error) from error
        model.graph_ = stored.graph
        refuse_unsound(model, folder)
        return model


def pieces_of(model: LinkPredictor, data: Graph | Split, checkpoints: Checkpoints | None) -> Pieces:
    """What a fit has kept, and will keep."""
    key = None if checkpoints is None else model.checkpoint_key(data)
    return NOWHERE if checkpoints is None or key is None else checkpoints.of(key)


def _validation(data: Split) -> Validation | None:
    return Validation(data.val_edges, data.val_non_edges) if len(data.val_edges) else None


def _check_least(probability: float) -> None:
    if not 0 <= probability <= 1:
        raise ParameterError(f"min_probability must lie in [0, 1], got {probability!r}")


def _plain(value: Any) -> Any:
    """A setting as JSON can hold it; an encoder that a user wrote is only named."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return f"custom: {getattr(value, '__qualname__', type(value).__qualname__)}"


def _silent(_: Progress) -> None:
    return None
