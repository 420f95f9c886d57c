"""What the answers tell: how many links are missing, and how far down the list one may go."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulink.calibration.review.estimate import FEWEST, MOST_UNSURE, ReviewEstimate
from pulink.predictor.predictor import LinkPredictor
from pulink.workflows.review.session import ReviewSession
from pulink.workflows.words.messages import sentence
from pulink.workflows.words.review_words import LEVELS, review_sentences, review_warnings

Key = tuple[int, bytes, bytes, bytes]

_CURVE = 200


class Estimates:
    """What is computed from answers, once for the same answers: questions that were only asked change nothing.

    Parameters
    ----------
    session : ReviewSession
        The review.
    """

    def __init__(self, session: ReviewSession) -> None:
        self._session = session
        self._known: tuple[Key, dict[str, Any]] | None = None
        self._model: tuple[Key, LinkPredictor] | None = None

    def key(self) -> Key:
        """The same as long as nobody has answered, and the answers that count are the same."""
        drawn = self._session.drawn_answers()
        links, no_links, unsure = (part.tobytes() for part in (drawn.links, drawn.no_links, drawn.unsure))
        return self._session.ledger.state()[1], links, no_links, unsure

    def estimate(self) -> dict[str, Any]:
        """How many links are missing, lists at the usual levels, and sentences about both."""
        key = self.key()
        if self._known is None or self._known[0] != key:
            self._known = key, self._computed()
        return self._known[1]

    def enough(self) -> bool:
        """Whether more answers would tell little more, by the last estimate that was made."""
        return bool((self.estimate() if self._known is None else self._known[1])["enough"])

    def model(self) -> LinkPredictor:
        """The model whose probabilities follow the answers."""
        key = self.key()
        if self._model is None or self._model[0] != key:
            self._model = key, self._session.reviewed_model()
        return self._model[1]

    def _computed(self) -> dict[str, Any]:
        found, before = self._session.estimate(), self._session.model.estimate_missing()
        bounds = self._session.unsure_bounds()
        return found.to_dict() | {
            "certified": {str(level): found.certified(level) for level in LEVELS},
            "expected": {str(level): _expected(found, level) for level in LEVELS},
            "sentences": [sentence(words) for words in review_sentences(self._session)],
            "warnings": [sentence(words) for words in review_warnings(self._session)],
            "before": None if before is None else {"best": before.best, "low": before.low, "high": before.high},
            "bounds_unsure": None if bounds is None else [bound.missing.best for bound in bounds],
        }

    def certificate(self, level: float) -> dict[str, Any]:
        """The lists at one level, and the share of links in lists of every length."""
        found = self._session.estimate()
        prefixes = found.prefixes
        kept = np.unique(np.linspace(0, len(prefixes.lengths) - 1, _CURVE).astype(np.int64))
        columns = (prefixes.lengths, prefixes.certain, prefixes.expected, prefixes.most)
        return {
            "level": level,
            "certified": _list(found, found.certified(level)),
            "expected": _list(found, _expected(found, level)),
            "refused": _refused(found),
            "curve": [
                dict(zip(("length", "certain", "expected", "most"), row, strict=True))
                for row in zip(*(column[kept].tolist() for column in columns), strict=True)
            ],
        }


def _expected(found: ReviewEstimate, level: float) -> int:
    return found.prefixes.expected_length(level) if found.answers.n_decided else 0


def _list(found: ReviewEstimate, length: int) -> dict[str, Any]:
    low, mean, high = found.prefixes.at(length) if length else (None, None, None)
    return {"length": length, "low": low, "mean": mean, "high": high}


def _refused(found: ReviewEstimate) -> str | None:
    if found.answers.n_decided < FEWEST:
        return f"Nothing is certified with fewer than {FEWEST} answers."
    if found.too_unsure:
        return f"Nothing is certified while more than {MOST_UNSURE:.0%} of the answers are unsure."
    return None
