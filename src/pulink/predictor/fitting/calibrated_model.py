"""A model that hidden edges calibrate: among all unconnected pairs, the best of them one by one."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.rank_transfer import RankedScores
from pulink.engine.pace import portion
from pulink.engine.threads import use_threads
from pulink.graph.graph import Edges
from pulink.predictor.answers import EXACT_NODES, FittedModel
from pulink.predictor.fitting.fit_run import Asked, Validation
from pulink.system.log import LOG
from pulink.text import counted

# The best pairs are asked one by one: up to so many times the hidden edges, and so many in all.
_LIST, _MOST_LISTED = 8, 1_000_000
# Which share of that time is taken by searching them.
_SEARCH = 0.8


class CalibratedModel(FittedModel):
    """What a fitted model does to give probabilities; `_held` are hidden edges that wait to be asked about."""

    # Whether a list of several times the hidden edges is as cheap to find as a short one.
    cheap_long_search: ClassVar[bool] = True

    seed: int
    _held: Validation | None

    def _log(self, words: str, *values: object) -> None:
        LOG.info(f"%s: {words}", type(self).__name__, *values)

    def _n_listed(self, n_hidden: float) -> float:
        """How many of the best pairs are asked one by one."""
        return min((_LIST if self.cheap_long_search else 1) * n_hidden, _MOST_LISTED)

    def _calibrator_by(self, validation: Validation, asked: Asked | None = None) -> Calibrator:
        """By the validation edges among all unconnected pairs of `graph_`, or among those that were asked."""
        n_hidden = len(validation.edges)
        sample, scores = asked or self._asked(validation.edges, n_hidden)
        found = Calibrator.of(scores, sample, self.graph_.n_edges, self.missing_share, self.seed)
        self._log("calibrated by %s", counted(n_hidden, "hidden edge"))
        return found

    def _ranked_scores(self, n_hidden: int) -> RankedScores:
        """Of all unconnected pairs of `graph_`, looked at as closely as for so many hidden edges."""
        asked, scores = self._asked(np.empty((0, 2), dtype=np.int32), n_hidden)
        return RankedScores.of(scores, asked.weights)

    def _asked(self, hidden: Edges, n_hidden: int) -> Asked:
        """The best pairs one by one, the hidden edges, and a sample of all others, with their scores."""
        n_free = self.graph_.n_pairs - self.graph_.n_edges
        n_listed = int(self._n_listed(n_hidden))
        with portion(0.0, _SEARCH):
            listed, _ = self._best_pairs(min(n_listed + self.graph_.n_absent, n_free), EXACT_NODES)
        asked = PairSample.of(self.graph_, listed, hidden, self.seed)
        with portion(_SEARCH, 1.0):
            return asked, self._pair_scores(asked.pairs.astype(np.int64))

    def _ready_calibrator(self) -> Calibrator | None:
        """None where no edges could be held out."""
        self._check_fitted()
        if self._calibrator is None and self._held is not None:
            with use_threads(self.threads):
                self._calibrator = self._calibrator_by(self._held)
        return self._calibrator
