"""Names that users may have written still work, and tell once what they are called now."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module

import numpy as np
import pytest

import pulink
from pulink import renamed
from pulink.predictor.predictor import LinkPredictor

GRAPH = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]).with_absent(np.array([[1, 3]]))
KEEP = np.array([True, True, True, False, False])


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renamed, "_announced", set())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Graph.with_edges", "Graph.keep_edges"),
        ("Graph.decided", "Graph.known_pairs"),
        ("LinkPredictor.budget_words_", "LinkPredictor.training_summary_"),
        ("LinkPredictor.long_lists", "LinkPredictor.cheap_long_search"),
    ],
)
def test_an_old_name_gives_what_the_new_one_gives_and_warns_once(old: str, new: str) -> None:
    home: object = GRAPH if old.startswith("Graph") else pulink.L3N().fit(GRAPH)
    with pytest.warns(DeprecationWarning, match=f"^{old} is called {new} now") as told:
        found = [getattr(home, old.partition(".")[2]) for _ in range(3)]
    assert [warning.filename for warning in told] == [__file__]
    assert found == [getattr(home, new.partition(".")[2])] * 3


def test_kept_edges_under_the_old_name() -> None:
    with pytest.warns(DeprecationWarning, match="keep_edges"):
        assert GRAPH.with_edges(KEEP).edges.tolist() == GRAPH.keep_edges(KEEP).edges.tolist()


def test_where_warnings_are_errors_an_old_name_fails_every_time() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(DeprecationWarning, match="known_pairs"):
                _ = GRAPH.decided


def made_with_old_names() -> type[LinkPredictor]:
    class Slow(pulink.L3N):
        long_lists = False

        @property
        def budget_words_(self) -> str:
            return "a long walk"

    return Slow


def test_a_predictor_that_a_user_wrote_with_old_names_is_honoured() -> None:
    with pytest.warns(DeprecationWarning) as told:
        model = made_with_old_names()().fit(GRAPH)
    assert {str(warning.message).partition(" is called")[0] for warning in told} == {
        "LinkPredictor.long_lists",
        "LinkPredictor.budget_words_",
    }
    assert {warning.filename for warning in told} == {__file__}
    assert model.cheap_long_search is False
    assert model.training_summary_ == "a long walk"
    assert pulink.L3N.cheap_long_search is True


def test_new_names_tell_nothing() -> None:
    class Quick(pulink.L3N):
        cheap_long_search = True

    assert Quick().fit(GRAPH).training_summary_ == "no training"


def test_a_documented_module_that_moved_works_and_says_where_it_is() -> None:
    sys.modules.pop("pulink.models.encoders", None)
    with pytest.warns(DeprecationWarning, match=r"^pulink\.models\.encoders is called pulink\.nn\.encoders now"):
        old = import_module("pulink.models.encoders")
    new = import_module("pulink.nn.encoders")
    assert all(getattr(old, name) is getattr(new, name) for name in old.__all__)
    assert {name for name in vars(new) if not name.startswith("_")} >= set(old.__all__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import_module("pulink.models.encoders")
