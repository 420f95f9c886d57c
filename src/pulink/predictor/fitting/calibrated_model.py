"""A model that hidden edges calibrate: among all unconnected pairs, the best of them one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from pulink.calibration.calibrator import Calibrator, HiddenFound
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.rank_curve import RankCurve
from pulink.calibration.rank_transfer import RankedScores
from pulink.calibration.reliability import Scored
from pulink.engine.pace import portion
from pulink.engine.threads import use_threads
from pulink.graph.graph import Edges, Graph
from pulink.graph.pairs import resolve_pairs
from pulink.predictor.answers import EXACT_NODES, FittedModel
from pulink.predictor.fitting.fit_run import Asked, Validation
from pulink.predictor.fitting.split_fits import n_splits_for
from pulink.system.log import LOG
from pulink.text import counted

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

# The best pairs are asked one by one: up to so many times the hidden edges, and so many in all.
_LIST, _MOST_LISTED = 8, 1_000_000
# Which share of that time is taken by searching them.
_SEARCH = 0.8


def n_asked(n_hidden: float) -> int:
    """How many of the best pairs are asked one by one, where a long list costs no more than a short one."""
    return int(min(_LIST * n_hidden, _MOST_LISTED))


class CalibratedModel(FittedModel):
    """What a fitted model does to give probabilities; `_held` are hidden edges that wait to be asked about."""

    # Whether a list of several times the hidden edges is as cheap to find as a short one.
    cheap_long_search: ClassVar[bool] = True

    seed: int
    _held: Validation | None

    def probability_interval(self, pairs: object) -> tuple[Any, Any]:
        """Give the ends of the 90% interval of each pair's probability.

        Parameters
        ----------
        pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
            In either order of their ends.

        Returns
        -------
        low, high : array of float64, k, or None
            None where no edges could be hidden, and for models of earlier versions.
        """
        return self._interval(self._scored(resolve_pairs(self.graph_, pairs)))

    def hidden_found(self) -> HiddenFound | None:
        """Say how well hidden edges were found.

        Returns
        -------
        HiddenFound or None
            None where no edges could be hidden, and for models of earlier versions.
        """
        calibrator = self._ready_calibrator()
        return None if calibrator is None else calibrator.found

    def splits_for(self, graph: Graph) -> int:
        """Say in how many splits a fit of a graph hides edges.

        Parameters
        ----------
        graph : Graph
            What would be fitted.

        Returns
        -------
        int
            `n_splits`, or as many as tell enough of a small graph; 1 where the model is not trained again.
        """
        return n_splits_for(cast("LinkPredictor", self), graph)

    def _averaged_with(self, others: list[Self], ranks: RankCurve, n_missing: float) -> Self:  # noqa: ARG002
        """The mean of fits of several splits, by the log-odds of their ranks; for methods that average."""
        raise AssertionError(f"{type(self).__name__} does not average")

    def _log(self, words: str, *values: object) -> None:
        LOG.info(f"%s: {words}", type(self).__name__, *values)

    def _n_listed(self, n_hidden: float) -> float:
        """How many of the best pairs are asked one by one."""
        return min((_LIST if self.cheap_long_search else 1) * n_hidden, _MOST_LISTED)

    def _calibrator_by(self, validation: Validation, asked: Asked | None = None) -> Calibrator:
        """By the validation edges among all unconnected pairs of `graph_`, or among those that were asked."""
        n_known = self.graph_.n_recorded + len(validation.edges)
        return self._calibrator_of([self._hidden_among(validation, asked)], n_known)

    def _calibrator_of(self, parts: list[Scored], n_known: int) -> Calibrator:
        """By the validation edges of one or several splits."""
        found = Calibrator.of(parts, n_known, self.missing_share, self.seed)
        n_hidden = sum(int(labelled.sum()) for _, labelled, _ in parts)
        self._log("calibrated by %s", counted(n_hidden, "hidden edge"))
        return found

    def _hidden_among(self, validation: Validation, asked: Asked | None = None) -> Scored:
        """Scores of the validation edges and of other unconnected pairs of `graph_`, some standing for many."""
        sample, scores = asked or self._asked(validation.edges, len(validation.edges))
        return scores, sample.labelled, sample.weights

    def _ranked_scores(self, n_hidden: int) -> RankedScores:
        """Of all unconnected pairs of `graph_`, looked at as closely as for so many hidden edges."""
        asked, scores = self._asked(np.empty((0, 2), dtype=np.int32), n_hidden)
        return RankedScores.of(scores, asked.weights)

    def _asked(self, hidden: Edges, n_hidden: int) -> Asked:
        """The best pairs one by one, the hidden edges, and a sample of all others, with their scores."""
        n_free = self.graph_.n_pairs - self.graph_.n_edges
        n_listed = int(self._n_listed(n_hidden))
        with portion(0.0, _SEARCH):
            listed, _ = self._search(min(n_listed + self.graph_.n_absent, n_free), EXACT_NODES)
        asked = PairSample.of(self.graph_, listed, hidden, self.seed)
        with portion(_SEARCH, 1.0):
            return asked, self._scores_of(asked.pairs)

    def _ready_calibrator(self) -> Calibrator | None:
        """None where no edges could be held out."""
        self._check_fitted()
        if self._calibrator is None and self._held is not None:
            with use_threads(self.threads):
                self._calibrator = self._calibrator_by(self._held)
        return self._calibrator
