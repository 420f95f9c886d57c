"""Held-out pairs are never among the certain positives of any loss."""

import numpy as np
import pytest

import pulink
from pulink.models.training import LossTerm
from tests.contract.quick import BRIEF, make
from tests.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=2)
SPLIT = pulink.split(GRAPH, val=0.2, test=0.2, seed=0)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[LossTerm]:
    """Every loss term that a fit evaluates."""
    terms: list[LossTerm] = []
    loss = LossTerm.loss

    def recorded(self: LossTerm, z: object, key: np.uint64, *rest: object) -> object:
        terms.append(self)
        return loss(self, z, key, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(LossTerm, "loss", recorded)
    return terms


@pytest.mark.parametrize("name", list(pulink.METHODS))
def test_certain_positives_are_training_edges(name: str, seen: list[LossTerm]) -> None:
    make(name, BRIEF).fit(SPLIT)
    m = SPLIT.train.n_edges
    assert seen
    for term in seen:
        # Training edges come first and are certain; what PULL adds comes after them, with its own soft label.
        assert np.array_equal(term.positives[:m], SPLIT.train.edges)
        assert (term.targets[:m] == 1).all()
        assert not SPLIT.train.has_edges(term.positives[m:]).any()
        assert (term.targets[m:] < 1).all()


@pytest.mark.parametrize("name", list(pulink.METHODS))
def test_the_first_loss_knows_training_edges_alone(name: str, seen: list[LossTerm]) -> None:
    make(name, BRIEF).fit(SPLIT)
    assert np.array_equal(seen[0].positives, SPLIT.train.edges)


@pytest.mark.parametrize("name", list(pulink.METHODS))
def test_the_refit_alone_sees_validation_edges(name: str, seen: list[LossTerm]) -> None:
    make(name, BRIEF).fit(GRAPH)
    held = pulink.split(GRAPH, val=0.1, test=0.0, seed=0)
    # Every positive that is certain is an edge, and while the budget is chosen a training edge.
    n_certain = [int((term.targets == 1).sum()) for term in seen]
    assert set(n_certain) == {held.train.n_edges, GRAPH.n_edges}
    refit_begins = n_certain.index(GRAPH.n_edges)
    assert all(n == GRAPH.n_edges for n in n_certain[refit_begins:])
    for term in seen[:refit_begins]:
        assert np.array_equal(term.positives[: held.train.n_edges], held.train.edges)
