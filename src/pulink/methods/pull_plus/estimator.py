"""PULL+: boosted trees over signals of a pair, trained with estimated labels of unconnected pairs.

Edges are hidden once more in folds, and trees learn to tell them from unconnected pairs by signals of a graph that
does not hold them (`training_set`). Unconnected pairs are unlabelled, not negative: some of them are the links
that are missing (`em`). Pairs are scored by their signals on the whole training graph.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt

from pulink.calibration.curve import ScoreCurve
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.rank_curve import RankCurve
from pulink.calibration.rank_transfer import RankedScores
from pulink.engine.pace import portion
from pulink.engine.random import stream_key
from pulink.engine.search.best_pairs import best_first
from pulink.engine.threads import use_threads
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import KINDS, UNDIRECTED
from pulink.graph.split import Split
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.candidates import (
    SOURCES,
    Candidates,
    PreparedGraph,
    begin_to_prepare,
    find_candidates,
    prepare,
)
from pulink.methods.pull_plus.contributions import score_contributions
from pulink.methods.pull_plus.effort import EFFORTS, HIGH, NORMAL, FitSettings, check, left_out, signal_config
from pulink.methods.pull_plus.fit_sizes import fit_sizes
from pulink.methods.pull_plus.learned.parts import LearnedParts, under
from pulink.methods.pull_plus.members import averaged, grown_members, learned_together, mean_of, restore_together
from pulink.methods.pull_plus.new_nodes import grown_candidates, grown_signals
from pulink.methods.pull_plus.pair_signals import FEATURES, PairSignals
from pulink.methods.pull_plus.refit import learn_again
from pulink.methods.pull_plus.scoring.em import Chosen, choose_round
from pulink.methods.pull_plus.scoring.scored_graph import ScoredGraph
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.scoring.validation_set import Round, ValidationSet
from pulink.methods.pull_plus.signals import ATTRIBUTES, SOURCE_COUNT, every_signal
from pulink.methods.pull_plus.training_set import TrainingSet, gather, n_used
from pulink.methods.pull_plus.work import Work
from pulink.persistence.model_folder import Stored
from pulink.predictor.costs import Sizes, require_room
from pulink.predictor.fitting.fit_events import ROUND
from pulink.predictor.fitting.fit_run import REFIT, FitRun, Learned, Validation
from pulink.predictor.fitting.stage_steps import StageSteps
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.search_scope import AllPairs, BestBySources, SearchScope
from pulink.text import counted

F64 = npt.NDArray[np.float64]

# Pairs that others are compared with.
_OTHERS = 2_000
# In units of their mean. Products of three weights must be numbers of single precision.
_WEIGHTS = 1e-9, 1e9
# Which share of the time of ranking goes into pairs that are listed.
_LISTED = 0.9


class RankedPairs(NamedTuple):
    """Pairs (k x 2) and their scores (k), best first."""

    pairs: npt.NDArray[np.int32]
    scores: F64


@dataclass(kw_only=True, eq=False, repr=False)
class PULLPlus(LinkPredictor):
    """Boosted trees over signals of a pair, trained with estimated labels of unconnected pairs.

    Parameters
    ----------
    effort : str
        "fast": closed-form signals alone, an answer in seconds; "normal"; "high": whatever raises accuracy. Of
        the settings below, those that are None follow from it.
    n_folds, max_folds : int
        Each fold of the edges is hidden from the graph on which its signals are taken. Where edges are many, trees
        learn from the first folds only, and from `max_folds` at most (None: as many as are useful at this effort).
    n_units, n_epochs, learning_rate : int, int, float
        Width, epochs and step size of the two encoders among the signals.
    n_trees, n_leaves, tree_rate : int, int, float
        How many trees, of how many leaves, and how much each of them counts.
    far_per_edge, near_per_edge : int
        Unconnected pairs trained on for each hidden edge: any, and candidates.
    max_rounds : int
        Rounds after the first one; 0: all unconnected pairs count as non-links.
    leave_out : str
        Families of signals not to use, separated by commas: spectrum, encoders, attributes, pair-net.

    Attributes
    ----------
    history_ : list of Round
        How each round did on the validation edges.
    n_rounds_ : int
        The round whose trees are kept.
    recall_ : dict of str to float
        Which share of the validation edges is among the candidates, by source and in all.
    signals_ : tuple of str
        Names of the columns that the trees read.
    weight_unit_ : float
        What weights are divided by.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : parameters, attributes and methods that all predictors share.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.PULLPlus(n_folds=2, n_epochs=5, n_trees=5, max_rounds=0).fit(graph).n_rounds_
    0
    """

    exact_pairs: ClassVar[int] = 3_000_000
    choosing: ClassVar[str] = "learning from hidden edges"
    averages_splits: ClassVar[bool] = True
    divides_work: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = KINDS

    effort: str = NORMAL
    n_folds: int = 8
    max_folds: int | None = None
    n_units: int = 32
    n_epochs: int | None = None
    learning_rate: float = 0.01
    n_trees: int | None = None
    n_leaves: int = 31
    tree_rate: float | None = None
    far_per_edge: int = 5
    near_per_edge: int = 6
    max_rounds: int | None = None
    leave_out: str = ""

    history_: list[Round] = field(init=False)
    recall_: dict[str, float] = field(init=False)
    n_rounds_: int = field(init=False)
    weight_unit_: float = field(init=False)
    signals_: tuple[str, ...] = field(init=False)
    _scorer: Scorer = field(init=False)
    _candidates: Candidates = field(init=False)
    _pair_signals: PairSignals | None = field(init=False, default=None)
    _found: tuple[bool, RankedPairs] | None = field(init=False, default=None)
    # Whether the validation edges came later than all that is learned from.
    _learns_future: bool = field(init=False, default=False)
    # Fits of other splits that this one is averaged with, and the log-odds that its own scores have then.
    _members: tuple[PULLPlus, ...] = field(init=False, default=())
    _average: ScoreCurve | None = field(init=False, default=None)

    def _check_params(self) -> None:
        super()._check_params()
        check(self)

    def _settings(self) -> FitSettings:
        """With those that follow from the effort."""
        return FitSettings.of(self)

    def _n_splits(self) -> int | None:
        return EFFORTS[self.effort].n_splits if self.n_splits is None else self.n_splits

    def _as_usual(self) -> PULLPlus:
        usual = copy(self)
        usual.effort = NORMAL if self.effort == HIGH else self.effort
        return usual

    def _fewest_fits(self) -> int:
        return EFFORTS[self.effort].fewest_fits

    def _depends_on(self) -> dict[str, list[str]]:
        return {"signals": [*every_signal(), SOURCE_COUNT], "sources": [*SOURCES]}

    def _seen(self, graph: Graph, unit: float | None = None) -> Graph:
        """The graph as signals and encoders see it: weights in units of the mean of the edges learned from."""
        plain = graph.with_features(None) if ATTRIBUTES in left_out(self) else graph
        if plain.weights is None:
            return plain
        unit = self.weight_unit_ if unit is None else unit
        return plain.with_weights(np.clip(plain.weights / np.float64(unit), *_WEIGHTS))

    def _refuse(self, graph: Graph) -> None:
        what = f"the signals of candidates among {graph.n_nodes:,} nodes and {graph.n_edges:,} edges"
        require_room(self, graph, what, "use a method that scores by embeddings, such as pull")

    def sizes(self, graph: Graph) -> Sizes:
        """vectors: eigenvectors and embeddings; candidates, lessons (training set): pairs with all signals.

        signalled, attributed, tree_reads, ranked, pushed: over all pairs whose signals are taken; *_around: with
        what their ends' neighbours hold. view_*: over all graphs whose signals are made. net_units: products of
        numbers in the network of pairs.
        """
        usual = super().sizes(graph)
        return usual | fit_sizes(
            graph, self._settings(), signal_config(self, graph), usual["wedges"], self.refit, self.exact_pairs
        )

    def _fit(self, data: Graph | Split, run: FitRun) -> Self:
        self._learns_future = isinstance(data, Split) and data.cut is not None
        fitted = super()._fit(data, run)
        if isinstance(data, Graph) and not self.refit:
            # The validation edges are known from now on, to walks and degrees too, as they are to a stored model.
            fitted._candidates = fitted._candidates.unconnected(data)
            fitted.state_ = fitted._ready_signals().state() | fitted._candidates.state()
            fitted._pair_signals = fitted._found = None
        return fitted

    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        unit = _weight_unit(train) if run.chosen is None else run.chosen.attributes["weight_unit_"]
        train = self._seen(train, unit)
        features = self._attributes(train, run)
        settings, config = self._settings(), signal_config(self, train)
        if run.chosen is not None:
            return learn_again(train, features, config, settings, run)
        # Each fold, the whole training graph, and the trees take about as long.
        n_folds = n_used(train.n_edges, min(self.n_folds, train.n_edges), settings.max_folds)
        folds, whole = n_folds / (n_folds + 2), (n_folds + 1) / (n_folds + 2)
        with run.steps() as steps:
            with portion(0.0, folds):
                training_set = gather(
                    train, features, config, settings, run.checkpoints, future=self._learns_future,
                    beside=partial(self._begin_beside, Work(train, features, config), unit, validation, run),
                )  # fmt: skip
            with portion(folds, whole):
                ready = prepare(train, features, config, training_set.learned, validation, run)
            with portion(whole, 1.0):
                chosen = self._choose(training_set, ready, validation, run, steps)
        attributes = {"weight_unit_": unit, "recall_": ready.recall, "_scorer": chosen.scorer} | ready.attributes()
        attributes |= {"n_rounds_": chosen.number, "history_": chosen.history}
        n_steps = training_set.n_trained * config.n_steps(features)
        return Learned(chosen.number, ready.state, n_steps, attributes, ready.cache(), chosen.asked)

    def _begin_beside(
        self, work: Work, unit: float, validation: Validation | None, run: FitRun, learned: LearnedParts | None
    ) -> None:
        """Have others look at the training graph, and at the whole one where a refit will ask for that."""
        begin_to_prepare(work, learned, validation, run.stage, run.checkpoints)
        if run.whole is not None and learned is not None and run.whole.kind == UNDIRECTED:
            whole = self._seen(run.whole, unit)
            of_whole = Work(whole, work.features, signal_config(self, whole))
            begin_to_prepare(of_whole, learned, None, REFIT, run.checkpoints)

    def _attributes(self, train: Graph, run: FitRun) -> Attributes | None:
        """Of the nodes, which a refit has in common with the run before it."""
        if train.features is None:
            return None
        kept = {} if run.chosen is None else under(run.chosen.state, FEATURES)
        return Attributes.from_state(kept, train.n_nodes) if kept else Attributes.of(train.features, self.seed)

    def _choose(
        self, training_set: TrainingSet, ready: PreparedGraph, validation: Validation | None, run: FitRun,
        steps: StageSteps,
    ) -> Chosen:  # fmt: skip
        """Grow trees, round by round."""

        settings = self._settings()

        def validation_set_of(first: Scorer) -> ValidationSet:
            assert validation is not None
            return ValidationSet(ready.candidates, ready.pair_signals, validation, first.far, self.seed)

        def report(record: Round) -> None:
            steps.iteration, steps.val_auroc = record.round, record.val_auroc
            run.tell(ROUND, record.round, settings.max_rounds, record.to_dict())

        n_train, held = ready.pair_signals.graph.n_recorded, None if validation is None else validation_set_of
        return choose_round(training_set, held, n_train, settings, run.checkpoints, report)

    def _averaged_with(self, others: list[Self], ranks: RankCurve, n_missing: float) -> Self:
        return cast(Self, averaged([self, *others], ranks, n_missing))

    def _grow(self, new_nodes: NewNodes) -> None:
        self._found = None
        self._members = grown_members(self._members, new_nodes)
        seen = replace(new_nodes, old=self._seen(new_nodes.old), graph=self._seen(new_nodes.graph))
        self._pair_signals = grown_signals(self._ready_signals(), seen)
        self._candidates = grown_candidates(self._candidates, self._pair_signals, seen.old.n_nodes)
        self.state_ = self._pair_signals.state() | self._candidates.state()

    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> F64:
        if self._average is None:
            return self._tree_scores(pairs)
        every = [one._average.at(one._tree_scores(pairs)) for one in (self, *self._members) if one._average]
        return mean_of(every)

    def _tree_scores(self, pairs: npt.NDArray[np.int64]) -> F64:
        """By the trees of this fit alone."""
        return ScoredGraph(self._ready_signals(), self._candidates, self._scorer).scores(pairs)

    def contributions(self, pairs: npt.NDArray[np.integer]) -> tuple[tuple[str, ...], F64]:
        """Say what each signal adds to the scores of pairs, compared with any unconnected pairs.

        Parameters
        ----------
        pairs : array of node numbers, k x 2

        Returns
        -------
        names : tuple of str, S + 1
        values : array of float64, k x (S + 1)
        """
        self._check_fitted()
        sampler = self.graph_.pair_space.sampler(self.graph_.adjacency)
        with use_threads(self.threads):
            others = sampler.draw_distinct(min(_OTHERS, sampler.n_free), stream_key(self.seed, "background"))
            found = [one._tree_contributions(pairs, others) for one in (self, *self._members)]
        return self.signals_, mean_of(found)

    def _tree_contributions(self, *pairs: npt.NDArray[np.integer]) -> F64:
        rows = [self._candidates.rows(self._ready_signals(), some) for some in pairs]
        return score_contributions(self._scorer, *rows)

    def _ready_signals(self) -> PairSignals:
        if self._pair_signals is None:
            self._pair_signals = PairSignals.from_state(self._seen(self.graph_), self.state_, self.signals_[:-1])
        return self._pair_signals

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], SearchScope]:
        graph = self.graph_
        exact = graph.n_pairs - graph.n_edges <= self.exact_pairs and graph.n_nodes <= exact_nodes
        if exact:
            return self._searched(exact).pairs[:count], AllPairs()
        known, recalled = self._candidates, None
        if count <= len(known.codes):
            found = self._searched(exact)
            recalled = self.recall_.get("all")
        else:
            pair_signals = self._ready_signals()
            known = Candidates.of(find_candidates(pair_signals, count), graph.pair_space)
            found = self._in_order(known.pairs)
        return found.pairs[:count], BestBySources(len(found.pairs), known.names, recalled)

    def _ranked_scores(self, n_hidden: int) -> RankedScores:  # noqa: ARG002 (all that is searched is looked at)
        graph = self.graph_
        with portion(0.0, _LISTED):
            found = self._searched(graph.n_pairs - graph.n_edges <= self.exact_pairs)
        asked = PairSample.of(graph, found.pairs, np.empty((0, 2), dtype=np.int32), self.seed)
        known = found.scores[~graph.is_absent(found.pairs)]
        with portion(_LISTED, 1.0):
            others = self._pair_scores(asked.pairs[len(known) :].astype(np.int64))
        return RankedScores.of(np.concatenate([known, others]), asked.weights)

    def _searched(self, exact: bool) -> RankedPairs:
        """All unconnected pairs, or the usual candidates; a fit and a list ask for the same."""
        if self._found is None or self._found[0] != exact:
            graph = self.graph_
            pairs = graph.pair_space.unconnected(graph.adjacency) if exact else self._every_candidate()
            self._found = exact, self._in_order(pairs)
        return self._found[1]

    def _every_candidate(self) -> npt.NDArray[np.int32]:
        """Those of all fits whose scores are averaged."""
        if not self._members:
            return self._candidates.pairs
        every = [one._candidates.pairs for one in (self, *self._members)]
        return np.asarray(self.graph_.pair_space.unique(np.concatenate(every)), dtype=np.int32)

    def _in_order(self, pairs: npt.NDArray[np.int32]) -> RankedPairs:
        scores = self._pair_scores(pairs.astype(np.int64))
        order = best_first(scores, pairs)
        return RankedPairs(pairs[order], scores[order])

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept round; None without validation edges."""
        return self.history_[self.n_rounds_].val_auroc

    @property
    def training_summary_(self) -> str:
        rounds = counted(self.n_rounds_, "round") if self.n_rounds_ else "no rounds"
        return f"boosted trees with {rounds} of label estimation"

    def summary(self) -> dict[str, Any]:
        # What the columns of the trees are called belongs to the trees.
        return {name: value for name, value in super().summary().items() if name not in ("signals", "members")}

    def _learned(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return learned_together(self)

    def _restore(self, stored: Stored) -> None:
        restore_together(self, stored)


def _weight_unit(train: Graph) -> float:
    return 1.0 if train.weights is None else float(train.weights.mean(dtype=np.float64))
