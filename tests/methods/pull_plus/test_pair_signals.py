"""Rows of signals as a model stores them: by the names of their columns, and whole or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.engine.structure.pagerank import PageRank
from pulink.methods.pull_plus import signals
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.learned.pair_net import PairNet, PairNetConfig
from pulink.methods.pull_plus.pair_signals import COLUMNS_BEFORE_NAMES_WERE_KEPT, PairSignals, stored_names
from pulink.methods.pull_plus.quantities.pairs import LATEST_RANKING, RANKINGS
from pulink.methods.pull_plus.signals import ATTRIBUTES, ENCODED, SIGNALS, SPECTRUM, Signal, signal_names
from tests.support.small_views import CONFIG, all_pairs, made, numbers, random_graph, words

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


def test_a_model_without_a_number_has_pagerank_as_it_was_before_there_were_numbers() -> None:
    pair_signals = made(random_graph(N, 45, 1, features=words(N, 6, 0)))
    state = pair_signals.state()
    assert state.pop("ranking").tolist() == [LATEST_RANKING]
    before = PairSignals.from_state(pair_signals.graph, state, pair_signals.names)
    assert before.state().keys() == state.keys()
    place = pair_signals.names.index("pagerank")
    for found, tolerance in ((before, 1e-4), (pair_signals, 3e-3)):
        wanted = PageRank(pair_signals.graph.adjacency, 0.15, tolerance).pair_scores(PAIRS)
        assert np.array_equal(found.signals(PAIRS)[:, place], wanted.astype(np.float32))
    assert not np.array_equal(before.signals(PAIRS)[:, place], pair_signals.signals(PAIRS)[:, place])
    # Where nodes have no attributes, small graphs are ranked as finely as then.
    plain = made(pair_signals.graph.with_features(None))
    own = plain.signals(PAIRS)[:, plain.names.index("pagerank")]
    assert np.array_equal(own, before.signals(PAIRS)[:, place])


@pytest.mark.parametrize("number", [[len(RANKINGS)], [-1], [], [[1]], [1.0]], ids=str)
def test_another_pagerank_is_refused(number: Any) -> None:
    pair_signals = made(random_graph(N, 45, 1))
    state = pair_signals.state() | {"ranking": np.array(number)}
    with pytest.raises(ValueError, match="its PageRank is none that this pulink knows"):
        PairSignals.from_state(pair_signals.graph, state, pair_signals.names)


@pytest.fixture(scope="module")
def networked() -> PairSignals:
    """With a network of pairs."""
    graph = random_graph(N, 45, 1, features=words(N, 9, 0))
    config = replace(CONFIG, net=PairNetConfig(n_units=4, n_steps=3, dropout=0.0))
    return PairSignals.make(graph, Attributes.of(graph.features, 0), config)


def test_a_network_of_pairs_is_stored_with_its_signal(networked: PairSignals) -> None:
    assert sorted(networked.names) == sorted((*made(networked.graph).names, "pair_net"))
    again = PairSignals.from_state(networked.graph, networked.state(), networked.names)
    assert np.array_equal(again.signals(PAIRS), networked.signals(PAIRS))
    assert np.ptp(networked.signals(PAIRS)[:, networked.names.index("pair_net")]) > 0
    for size in (1, 5):
        alone = [networked.signals(PAIRS[k : k + size, ::-1]) for k in range(0, 20, size)]
        assert np.array_equal(np.concatenate(alone)[:, -1], networked.signals(PAIRS)[:20, -1])


def test_a_network_of_other_attributes_is_refused(networked: PairSignals) -> None:
    graph, state, names = networked.graph, networked.state(), networked.names
    other = PairNet(3 * 5, PairNetConfig(4, 1, 0.0), 0).state()
    for damaged in (
        state | {f"pair_net.{name}": array for name, array in other.items()},
        {name: array for name, array in state.items() if name != "features.leading"},
    ):
        with pytest.raises(ValueError, match="does not fit its attributes"):
            PairSignals.from_state(graph, damaged, names)
    for name in [own for own in state if own.startswith("pair_net.")]:
        with pytest.raises(ValueError, match="its network of pairs is not whole"):
            PairSignals.from_state(graph, state | {name: state[name][:-1]}, names)


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
    assert [family for family, _ in COLUMNS_BEFORE_NAMES_WERE_KEPT] == ["structure", SPECTRUM, ENCODED, ATTRIBUTES]
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
