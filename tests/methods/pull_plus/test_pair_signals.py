"""Rows of signals as a model stores them: by the names of their columns, and whole or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.methods.pull_plus import signals
from pulink.methods.pull_plus.pair_signals import COLUMNS_BEFORE_NAMES_WERE_KEPT, PairSignals, stored_names
from pulink.methods.pull_plus.signals import FAMILIES, SIGNALS, Signal, signal_names
from tests.support.small_views import all_pairs, made, numbers, random_graph, words

N = 16
PAIRS = all_pairs(N)
FEATURES = {"none": None, "sparse": words(N, 9, 0), "dense": numbers(N, 4, 0)}
NEW = Signal("constant", "structure", "degrees", lambda pairs: np.ones(len(pairs.pairs)))


@pytest.fixture(scope="module", params=list(FEATURES))
def pair_signals(request: pytest.FixtureRequest) -> PairSignals:
    return made(random_graph(N, 45, 1, features=FEATURES[request.param]))


def test_what_is_stored_gives_the_same_signals_to_the_bit(pair_signals: PairSignals) -> None:
    structure_only = pulink.Graph.from_edges(pair_signals.graph.edges, N)
    again = PairSignals.from_state(structure_only, pair_signals.state(), pair_signals.names)
    assert np.array_equal(again.signals(PAIRS), pair_signals.signals(PAIRS))


def test_damaged_arrays_are_refused(pair_signals: PairSignals) -> None:
    graph, state, names = pair_signals.graph, pair_signals.state(), pair_signals.names
    for name, array in state.items():
        if not name.startswith("encoders."):
            with pytest.raises((ValueError, KeyError)):
                PairSignals.from_state(graph, state | {name: array[:-1]}, names)
    for name in ("adjacency.vectors", "normalised.values", "embedding.gcn"):
        with pytest.raises((ValueError, KeyError), match=f"{name}|not whole"):
            PairSignals.from_state(graph, {key: own for key, own in state.items() if key != name}, names)
    with pytest.raises(ValueError, match="do not fit"):
        PairSignals.from_state(random_graph(N + 1, 45, 1), state, names)


def test_columns_are_those_that_are_named_in_their_order(pair_signals: PairSignals) -> None:
    every = dict(zip(pair_signals.names, pair_signals.signals(PAIRS).T, strict=True))
    some = pair_signals.names[::-3]
    families = {own.family for own in SIGNALS if own.name in some} - {"structure"}
    assert families == {own.family for own in SIGNALS if own.name in every} - {"structure"}
    found = PairSignals.from_state(pair_signals.graph, pair_signals.state(), some).signals(PAIRS)
    assert np.array_equal(found, np.stack([every[name] for name in some], axis=1))


@pytest.mark.parametrize("names", [("common",), signal_names(()), ("common", "gcn_dot", "features")])
def test_names_of_other_families_than_there_are_arrays_are_refused(names: tuple[str, ...]) -> None:
    pair_signals = made(random_graph(N, 45, 1))
    with pytest.raises(ValueError, match="its signals are not those of its arrays"):
        PairSignals.from_state(pair_signals.graph, pair_signals.state(), names)


@pytest.mark.parametrize("place", [0, 5, len(SIGNALS)])
def test_a_signal_more_changes_no_row_that_is_stored(
    pair_signals: PairSignals, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dict(zip(pair_signals.names, pair_signals.signals(PAIRS).T, strict=True))
    monkeypatch.setattr(signals, "SIGNALS", (*SIGNALS[:place], NEW, *SIGNALS[place:]))
    for names in (pair_signals.names, None):
        again = PairSignals.from_state(pair_signals.graph, pair_signals.state(), names)
        assert NEW.name not in again.names
        assert np.array_equal(again.signals(PAIRS), np.stack([before[name] for name in again.names], axis=1))
    assert NEW.name in made(pair_signals.graph).names


def test_a_signal_that_is_gone_is_refused_by_name(
    pair_signals: PairSignals, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tuple(replace(own, name="cosine_of_rows") if own.name == "salton" else own for own in SIGNALS)
    monkeypatch.setattr(signals, "SIGNALS", left)
    for names in (pair_signals.names, None):
        with pytest.raises(ValueError, match="this pulink does not know the signal 'salton'"):
            PairSignals.from_state(pair_signals.graph, pair_signals.state(), names)


def test_the_columns_of_folders_without_names_are_those_of_that_time() -> None:
    """Whatever signals are added, moved or dropped: by this list old folders are read."""
    assert [family for family, _ in COLUMNS_BEFORE_NAMES_WERE_KEPT] == ["structure", *FAMILIES]
    columns = [name for _, names in COLUMNS_BEFORE_NAMES_WERE_KEPT for name in names]
    stored = Path(__file__).parents[2] / "persistence" / "stored" / "columns.txt"
    assert [*columns, "sources"] == stored.read_text().splitlines()


def test_names_are_read_as_they_were_kept() -> None:
    assert stored_names({"signals": ["l3", "common", "sources"]}) == ("l3", "common")
    assert stored_names({}) is None


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "no list of names"),
        ("common", "no list of names"),
        ({"common": "sources"}, "no list of names"),
        (["common", 3, "sources"], "no list of names"),
        (["common", None], "no list of names"),
        (["common", ["l3"], "sources"], "no list of names"),
        (["common", "l3", "common", "sources"], "two signals of the name 'common'"),
        (["sources", "sources"], "two signals of the name 'sources'"),
        ([], "the last of its signals is not 'sources'"),
        (["common", "l3"], "the last of its signals is not 'sources'"),
        (["sources", "common"], "the last of its signals is not 'sources'"),
    ],
    ids=str,
)
def test_names_that_cannot_be_are_refused(found: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stored_names({"signals": found})
