"""Held-out pairs are never among the certain positives of any loss."""

from collections.abc import Sequence

import numpy as np
import pytest

import pulink
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.by_embedding import EmbeddingPredictor
from tests.support.planted import planted_graph
from tests.support.quick import BRIEF, make

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=2)
SPLIT = pulink.split(GRAPH, val=0.2, test=0.2, seed=0)

# Those that train on loss terms; scorers of pairs are covered by poisoning and by graphs with nothing to learn.
NAMES = [name for name, entry in pulink.METHODS.items() if issubclass(entry.predictor, EmbeddingPredictor)]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[LossTerm]:
    return recorded_terms(monkeypatch)


def recorded_terms(monkeypatch: pytest.MonkeyPatch) -> list[LossTerm]:
    """Every loss term that a fit trains on, in order: those handed to a trainer, and those evaluated."""
    terms: list[LossTerm] = []
    train, loss, with_gradient = Trainer.train, LossTerm.loss, LossTerm.loss_and_gradient

    def trained(self: Trainer, given: Sequence[LossTerm], *rest: object) -> object:
        terms.extend(given)
        return train(self, given, *rest)  # type: ignore[arg-type]

    def evaluated(self: LossTerm, *rest: object) -> object:
        terms.append(self)
        return loss(self, *rest)  # type: ignore[arg-type]

    def evaluated_with_gradient(self: LossTerm, *rest: object, **named: object) -> object:
        terms.append(self)
        return with_gradient(self, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Trainer, "train", trained)
    monkeypatch.setattr(LossTerm, "loss", evaluated)
    monkeypatch.setattr(LossTerm, "loss_and_gradient", evaluated_with_gradient)
    return terms


def certain(term: LossTerm) -> np.ndarray:
    return term.positives[term.targets == 1]


@pytest.mark.parametrize("name", NAMES)
def test_certain_positives_are_training_edges(name: str, seen: list[LossTerm]) -> None:
    make(name, BRIEF).fit(SPLIT)
    assert seen
    for term in seen:
        assert SPLIT.train.has_edges(certain(term)).all()
        # What PULL adds comes with its own soft label.
        assert not SPLIT.train.has_edges(term.positives[term.targets < 1]).any()


@pytest.mark.parametrize("name", NAMES)
def test_the_first_losses_know_all_training_edges_and_no_other(name: str, seen: list[LossTerm]) -> None:
    make(name, BRIEF | {"max_epochs": 1, "min_epochs": 1, "max_iterations": 1, "n_epochs": 1}).fit(SPLIT)
    pairs = np.unique(np.concatenate([term.positives for term in seen]), axis=0)
    assert SPLIT.train.has_edges(pairs).all()
    # NESS leaves a few edges out of all its parts.
    assert len(pairs) >= 0.97 * SPLIT.train.n_edges


@pytest.mark.parametrize("name", NAMES)
def test_the_refit_alone_sees_validation_edges(name: str, seen: list[LossTerm]) -> None:
    make(name, BRIEF).fit(GRAPH)
    held = pulink.split(GRAPH, val=0.1, test=0.0, seed=0)
    sees = [bool((~held.train.has_edges(certain(term))).any()) for term in seen]
    # While the budget is chosen no term sees them; once the refit has begun, some do.
    begins = sees.index(True)
    assert begins > 0
    later = np.unique(np.concatenate([certain(term) for term in seen[begins:]]), axis=0)
    assert GRAPH.has_edges(later).all()
    assert len(later) >= 0.97 * GRAPH.n_edges
