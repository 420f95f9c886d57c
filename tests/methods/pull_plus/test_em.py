"""Labels that are estimated for the pairs that are learned from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink.methods.pull_plus.scoring import validation_set
from pulink.methods.pull_plus.scoring.added_terms import UNREAD, Term
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.signals import every_signal
from tests.support.small_views import random_graph

GRAPH = random_graph(60, 300, 0)
BRIEF: dict[str, Any] = {"n_folds": 3, "n_trees": 10, "n_epochs": 2, "max_rounds": 1, "n_splits": 1, "threads": 1}


def estimated(monkeypatch: pytest.MonkeyPatch, column: str, weight: float) -> npt.NDArray[np.float64]:
    """The labels of the first round, where a term is chosen of this column and weight."""
    seen: list[npt.NDArray[np.float64]] = []

    def chosen(names: tuple[str, ...], *_: object) -> tuple[Term, ...]:
        return (Term(names.index(column), False, weight),) if weight else ()

    def with_labels(self: Scorer, training_set: object, labels: npt.NDArray[np.float64], near: object) -> Scorer:
        seen.append(labels)
        return self

    monkeypatch.setattr(validation_set, "choose_terms", chosen)
    monkeypatch.setattr(Scorer, "with_labels", with_labels)
    pulink.PULLPlus(**BRIEF).fit(pulink.split(GRAPH, val=0.2, test=0.1, seed=0))
    # The first call is of the trees that know no labels yet.
    return seen[-1]


def test_a_term_that_the_training_set_does_not_hold_has_no_part_in_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its column is 0 there: with it in the curve alone, labels would be those of other scores."""
    (column,) = UNREAD
    plain = estimated(monkeypatch, column, 0.0)
    assert plain[plain < 1].max() > 0
    assert np.array_equal(estimated(monkeypatch, column, 5.0), plain)


def test_other_terms_have(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "common" in every_signal()
    assert not np.array_equal(estimated(monkeypatch, "common", 5.0), estimated(monkeypatch, "common", 0.0))
