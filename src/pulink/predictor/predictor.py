"""What every link predictor shares: fit, save and load; what a fitted one answers is in `answers`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy.typing as npt

from pulink.calibration.calibrator import Calibrator
from pulink.distributed.ahead import made_by_others
from pulink.engine.threads import thread_count, use_threads
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.graph.split import Split
from pulink.persistence.checkpoints import NO_CHECKPOINTS, Checkpoints, FitCheckpoints, fit_key
from pulink.persistence.model_folder import Stored
from pulink.predictor.costs import Sizes, plain_sizes, require_room
from pulink.predictor.fitting.calibrated_model import CalibratedModel
from pulink.predictor.fitting.fit_events import END, START, callbacks_of
from pulink.predictor.fitting.fit_input import accepted, hidden_pairs, reporter
from pulink.predictor.fitting.fit_run import FitRun, Learned, ProgressFunction, State, Validation
from pulink.predictor.fitting.split_fits import fit_by_splits, fit_repeatedly
from pulink.predictor.new_nodes import NewNodes, grown, refusal
from pulink.predictor.parameters import check_count, check_flag, check_share, plain_value
from pulink.predictor.saved_model import StorableModel
from pulink.renamed import Renamed, take_over_old_names
from pulink.text import counted


@dataclass(kw_only=True, eq=False, repr=False)
class LinkPredictor(CalibratedModel, StorableModel):
    """Base of all predictors: a dataclass whose fields are its settings, checked and used by `fit`.

    Parameters
    ----------
    val_ratio : float
        For `fit(graph)`: which share of the edges is hidden to choose how long to train, and to calibrate by.
    refit : bool
        For `fit(graph)`: whether to train once more on every edge, as long as was chosen.
    missing_share : float or None
        Which share of all links is missing from the graph, if you know; None: it is estimated.
    n_splits : int or None
        For `fit(graph)` with `refit`: how many times other edges are hidden, to calibrate by all of them; None: as
        often as a small graph needs and its cost allows, and once where edges are many.
    seed : int
        Where all randomness comes from.
    threads : int or None
        How many threads to use; None: PULINK_THREADS, else half the cores.

    Attributes
    ----------
    graph_ : Graph
        The graph whose edges are known and never proposed again.
    state_ : dict of arrays
        All that scoring needs besides the structure of that graph.
    n_steps_ : int
        Gradient steps taken in all.
    """

    long_lists = Renamed("cheap_long_search")
    # What is done while validation edges are held out, for people.
    choosing: ClassVar[str] = "learning with some edges hidden"
    # The kinds of graphs that it serves.
    kinds: ClassVar[tuple[str, ...]] = (UNDIRECTED,)
    # Whether a fit is the mean of models that learned from several splits; else only the first one's is kept.
    averages_splits: ClassVar[bool] = False
    # Whether a cluster has anything to do: independent pieces of a fit that others can make.
    divides_work: ClassVar[bool] = False
    # Whether these pieces are the rows of one training, by a group of processes.
    trains_in_group: ClassVar[bool] = False

    val_ratio: float = 0.1
    refit: bool = True
    missing_share: float | None = None
    n_splits: int | None = None
    seed: int = 0
    threads: int | None = None

    graph_: Graph = field(init=False)
    state_: State = field(init=False)
    n_steps_: int = field(init=False)
    _calibrator: Calibrator | None = field(init=False, default=None)
    _held: Validation | None = field(init=False, default=None)

    def fit(
        self,
        data: object,
        y: object = None,  # noqa: ARG002 (pipelines of scikit-learn hand it over)
        *,
        progress: bool | ProgressFunction | None = None,
        checkpoints: str | Path | Checkpoints | None = None,
        callbacks: Iterable[object] | None = None,
    ) -> Self:
        """Learn from a graph, or from the training graph of a split.

        What is done is also told to the logger "pulink".

        Parameters
        ----------
        data : Graph, Split, frame, pairs of nodes or EdgeRows
            Edges become a Graph: a polars or pandas frame (as `pulink.from_frame` reads it), or pairs of nodes, an
            m x 2 array or a list, all names or all whole numbers as names. Of a graph, a share
            `val_ratio` of the edges is hidden to choose how long to train; with `refit` the model is then trained
            once more on every edge. Of a split, the validation edges are used. Of `pulink.model_selection.edges`,
            which scikit-learn divides, what is learned from is a graph with these edges alone.
        y : ignored
            scikit-learn may hand it over.
        progress : bool or function, optional
            True shows a bar on stderr while a terminal or a notebook is watching; a function is called with a
            `Progress` now and then; None or False: nothing.
        checkpoints : path, optional
            A folder. A fit that was stopped goes on where it stood when it is started again with the same
            settings and data, and ends with the same model. What is kept there stays until you remove it.
        callbacks : list of objects, optional
            Told of every epoch, iteration and round, see `pulink.callbacks`. They change nothing of the result.

        Returns
        -------
        the predictor itself, fitted

        Raises
        ------
        ParameterError
            If a setting is not allowed.
        InputError
            If there is nothing to learn from, or the method cannot serve this graph.
        LeakError
            If hidden edges of a split can be seen in training.

        Examples
        --------
        >>> import networkx, pulink
        >>> graph = pulink.from_networkx(networkx.karate_club_graph())
        >>> pulink.L3N().fit(graph).graph_
        Graph(34 nodes, 78 edges)
        """
        self._check_params()
        known = accepted(data)
        self.check_serves(known.train if isinstance(known, Split) else known)
        reporting, told = reporter(progress, self.choosing), callbacks_of(self, callbacks)
        self._forget()
        self._log("fitting %r", known)
        folder = Checkpoints(checkpoints) if isinstance(checkpoints, str | Path) else checkpoints
        kept = made_by_others(checkpoints_of(self, known, folder))
        try:
            with reporting as report, use_threads(self.threads):
                told.tell(START)
                fitted = self._fit(known, FitRun.choosing(report, kept, told))
        except BaseException:
            self._forget()
            raise
        vars(self).update(vars(fitted))
        self._log("done after %s", counted(self.n_steps_, "gradient step"))
        told.tell(END, {"n_steps": self.n_steps_, "val_auroc": self.best_val_auroc_})
        return self

    def _forget(self) -> None:
        """Of an earlier fit nothing is left, not even where this one fails."""
        learned = {attribute.name for attribute in fields(self) if not attribute.init}
        for name in [name for name in vars(self) if name in learned or name.endswith("_")]:
            delattr(self, name)

    def checkpoint_key(self, data: Graph | Split) -> str | None:
        """Give the name under which checkpoints of a fit are kept.

        Parameters
        ----------
        data : Graph or Split
            What would be fitted.

        Returns
        -------
        str or None
            None if a setting is a function that you wrote: nothing is kept then.
        """
        settings = self.get_params() | {"threads": thread_count(self.threads)}
        if any(callable(value) for value in settings.values()):
            return None
        plain = {name: plain_value(value) for name, value in settings.items()}
        return fit_key(type(self).__name__, plain, data, self._depends_on())

    def alone_because(self, graph: Graph | None) -> str | None:  # noqa: ARG002 (for those who can)
        """Say why one process does all of a fit, whatever the cluster.

        Parameters
        ----------
        graph : Graph or None
            What would be fitted; None: any graph.

        Returns
        -------
        str or None
            None if a cluster has something to do.
        """
        return None if self.divides_work else "always"

    def _depends_on(self) -> dict[str, list[str]]:
        """Names that a fit depends on besides its settings; checkpoints of a fit with others are not taken."""
        return {}

    def _fit(self, data: Graph | Split, run: FitRun) -> Self:
        """A copy of this model that has learned from the data."""
        if isinstance(data, Split):
            return self._fit_split(data, run)
        return fit_by_splits(self, data, run)

    def _fit_split(self, data: Split, run: FitRun) -> Self:
        validation = hidden_pairs(data)
        if validation is not None and self.n_splits is None and self._fewest_fits() > 1:
            return fit_repeatedly(self, data.train, validation, self._fewest_fits(), run)
        learned = self._chosen(data.train, validation, run)
        fitted = self._holding(learned, data.train)
        fitted._held = validation
        # Else calibrated when somebody asks for a probability: a comparison of methods does not.
        if validation is not None and learned.asked is not None:
            fitted._calibrator = fitted._calibrator_by(validation, learned.asked)
        return fitted

    def _chosen(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        """What is learned while validation edges are hidden."""
        n_hidden = 0 if validation is None else len(validation.edges)
        self._log("learning with %s hidden", counted(n_hidden, "edge"))
        learned = self._learn_from(train, validation, run)
        model = self._holding(learned, train)
        auroc = "" if model.best_val_auroc_ is None else f", validation AUROC {model.best_val_auroc_:.4f}"
        what = f"selected {model.training_summary_}" if learned.n_steps else "needs no training"
        self._log("%s%s", what, auroc)
        return learned

    def _holding(self, learned: Learned, graph: Graph, calibrator: Calibrator | None = None) -> Self:
        """A copy of this model that has learned this."""
        model = copy(self)
        vars(model).update({**learned.attributes, **learned.cache})
        model.state_, model.n_steps_, model.graph_ = learned.state, learned.n_steps, graph
        model._calibrator = calibrator
        return model

    def check_settings(self) -> None:
        """Raise ParameterError if a setting is not allowed, as `fit` does."""
        self._check_params()

    def check_serves(self, graph: Graph) -> None:
        """Check before any work whether this method can serve a graph.

        Parameters
        ----------
        graph : Graph
            What would be fitted.

        Raises
        ------
        InputError
            If it has no edges or is beyond this method; the message says what to do instead.
        TooLargeError
            If a fit would not fit in memory.
        """
        if graph.n_edges == 0:
            nodes = counted(graph.n_nodes, "node")
            loops = f" ({graph.cleaning})" if graph.cleaning.n_loops else ""
            raise InputError(
                f"nothing to learn from: the graph has {nodes} and no edges{loops}; "
                "an edge between two different nodes is the least"
            )
        if graph.kind not in self.kinds:
            raise InputError(
                f"{type(self).__name__} serves graphs that are {' or '.join(self.kinds)}, and this one is "
                f"{graph.kind}: use pull-plus, pull, gcn-ce or l3n, which serve every kind (all: pulink methods)"
            )
        self._refuse(self._view(graph))

    def _refuse(self, graph: Graph) -> None:
        """Raise if the graph is beyond this method; subclasses with limits say which, and what can serve it."""
        what = f"{type(self).__name__} on {graph.n_nodes:,} nodes and {graph.n_edges:,} edges"
        require_room(self, graph, what, "use a smaller graph")

    def sizes(self, graph: Graph) -> Sizes:
        """Count what the memory and the time of a fit grow with.

        Parameters
        ----------
        graph : Graph
            What would be fitted.

        Returns
        -------
        dict of str to float
            Sizes by name; a method adds what it alone holds.
        """
        n_listed = self._n_listed(self.val_ratio * graph.n_edges)
        return plain_sizes(graph) | {"listed": min(n_listed, graph.n_pairs - graph.n_edges)}

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

    def _n_splits(self) -> int | None:
        """How many times other edges are to be hidden; None: as often as is useful."""
        return self.n_splits

    def _as_usual(self) -> LinkPredictor:
        """By whose price a split is cheap or dear: a model that takes more trouble has no fewer splits."""
        return self

    def _fewest_fits(self) -> int:
        """Fits that are averaged at least, for methods that average."""
        return 1

    def _check_params(self) -> None:
        """Check the settings; subclasses add theirs."""
        check_count("seed", self.seed, 0)
        check_share("val_ratio", self.val_ratio)
        check_flag("refit", self.refit)
        if self.missing_share is not None:
            check_share("missing_share", self.missing_share)
        if self.n_splits is not None:
            check_count("n_splits", self.n_splits, 1)
        thread_count(self.threads)

    def with_nodes(
        self, names: object, edges: object, features: object = None, *, weights: npt.ArrayLike | None = None
    ) -> Self:
        """Give a fitted model whose graph has more nodes, without training again.

        This one stays as it is. Scores of old pairs change where the method looks at the structure around them.
        Probabilities and the estimate of missing links are those of the fit.

        Parameters
        ----------
        names : list of str, k
            Names of the new nodes; none of them may be in the graph already.
        edges : list of pairs of names
            Their first edges, each with at least one new end.
        features : matrix, k x d, optional
            Their attributes, in the columns of the graph's features; None: nothing is known of them.
        weights : array of numbers, optional
            One per edge of a weighted graph; None: the median of its weights.

        Returns
        -------
        a predictor of the same class, fitted

        Raises
        ------
        InputError
            If nodes or edges do not fit the graph, or the method cannot take new nodes without a fit.

        Examples
        --------
        >>> import networkx, pulink
        >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
        >>> later = model.with_nodes(["new"], [("new", "0"), ("new", "33")])
        >>> later.suggest("new", 2)["target"].to_list()
        ['32', '1']
        """
        return grown(self, names, edges, features, weights)

    def _grow(self, new_nodes: NewNodes) -> None:
        """Take nodes in; `graph_` is still the old graph."""
        self.state_ = self._grown_state(new_nodes)

    def _grown_state(self, new_nodes: NewNodes) -> State:  # noqa: ARG002 (for those who can)
        """`state_` with rows for nodes that were appended."""
        raise refusal(self, "what it learned of nodes cannot be told of others")

    def summary(self) -> dict[str, Any]:
        """Give what was learned as plain values, without arrays and seconds.

        Returns
        -------
        dict
            What `run.json` holds of the model.
        """
        self._check_fitted()
        return self._learned()[0]


def checkpoints_of(model: LinkPredictor, data: Graph | Split, checkpoints: Checkpoints | None) -> FitCheckpoints:
    """What a fit has kept, and will keep."""
    key = None if checkpoints is None else model.checkpoint_key(data)
    return NO_CHECKPOINTS if checkpoints is None or key is None else checkpoints.of(key)
