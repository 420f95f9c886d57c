"""Splits: how many edges are hidden, that none of them can be seen, and that a seed decides everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink import Graph, Split, audit, split
from pulink.errors import InputError, LeakError, ParameterError
from tests.support.planted import planted_graph

PATH = Graph.from_edges([[i, i + 1] for i in range(10)])


def codes(pairs: npt.NDArray[np.int32]) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in pairs.tolist()}


@pytest.mark.parametrize(
    ("n_edges", "ratio", "n_hidden"), [(10, 0.1, 1), (19, 0.1, 1), (30, 0.1, 3), (10, 0.3, 3), (9, 0.1, 0)]
)
def test_counts_are_rounded_down(n_edges: int, ratio: float, n_hidden: int) -> None:
    path = Graph.from_edges([[i, i + 1] for i in range(n_edges)])
    data = split(path, val=ratio, test=ratio)
    for part in (data.val_edges, data.val_non_edges, data.test_edges, data.test_non_edges):
        assert part.shape == (n_hidden, 2)
    assert data.train.n_edges == n_edges - 2 * n_hidden


@given(seed=st.integers(0, 2**32), val=st.floats(0, 0.4), test=st.floats(0, 0.4))
def test_parts_are_disjoint_and_make_up_the_graph(seed: int, val: float, test: float) -> None:
    graph = planted_graph(10, 2, 0.5, 0.1, seed=1)
    data = split(graph, val=val, test=test, seed=seed)
    edges = [codes(part) for part in (data.train.edges, data.val_edges, data.test_edges)]
    assert sum(map(len, edges)) == graph.n_edges
    assert set.union(*edges) == codes(graph.edges)
    non_edges = codes(data.val_non_edges) | codes(data.test_non_edges)
    assert len(non_edges) == len(data.val_edges) + len(data.test_edges)
    assert not non_edges & codes(graph.edges)


def test_non_edges_are_absent_in_either_orientation() -> None:
    graph = planted_graph(20, 2, 0.6, 0.2, seed=0)
    data = split(graph, val=0.2, test=0.2, seed=3)
    for pairs in (data.val_non_edges, data.test_non_edges):
        assert not graph.has_edges(pairs).any()
        assert not graph.has_edges(pairs[:, ::-1]).any()
        assert (pairs[:, 0] != pairs[:, 1]).all()


def test_a_seed_gives_these_very_pairs_on_any_machine() -> None:
    data = split(PATH, val=0.2, test=0.2, seed=7)
    assert data.train.edges.tolist() == [[0, 1], [3, 4], [4, 5], [5, 6], [8, 9], [9, 10]]
    assert data.val_edges.tolist() == [[7, 8], [6, 7]]
    assert data.test_edges.tolist() == [[1, 2], [2, 3]]
    assert data.val_non_edges.tolist() == [[1, 5], [1, 10]]
    assert data.test_non_edges.tolist() == [[4, 7], [2, 4]]


def test_another_seed_gives_another_split() -> None:
    graph = planted_graph(20, 2, 0.3, 0.05, seed=0)
    assert codes(split(graph, seed=0).test_edges) != codes(split(graph, seed=1).test_edges)


def test_training_keeps_names_features_and_weights() -> None:
    graph = Graph.from_edges(
        PATH.edges, weights=np.arange(1.0, 11.0), features=np.eye(11), names=[f"n{i}" for i in range(11)]
    )
    train = split(graph, seed=7).train
    assert train.weights is not None
    assert (train.weights == train.edges[:, 0] + 1).all()
    assert train.names[3] == "n3"
    assert train.n_features == 11


def test_what_a_split_holds_cannot_be_changed() -> None:
    data = split(PATH, val=0.2, test=0.2)
    for part in (data.val_edges, data.val_non_edges, data.test_edges, data.test_non_edges):
        with pytest.raises(ValueError, match="read-only"):
            part[0, 0] = 0


def test_hidden_edges_are_those_of_validation_and_test() -> None:
    data = split(PATH, val=0.2, test=0.2)
    assert codes(data.hidden_edges) == codes(data.val_edges) | codes(data.test_edges)


def pairs(*rows: tuple[int, int]) -> npt.NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


SOUND = Split(PATH, pairs((0, 2)), pairs((0, 3)), pairs((0, 4)), pairs((0, 5)))


def is_passed(data: Split) -> bool:
    try:
        audit(data)
    except LeakError:
        return False
    return True


def test_the_audit_passes_sound_splits_and_no_others() -> None:
    assert is_passed(SOUND)
    assert is_passed(split(PATH, val=0.2, test=0.2))
    rng = np.random.default_rng(0)
    judged = []
    for _ in range(300):
        held = rng.permuted(np.tile(np.arange(11, dtype=np.int32), (4, 1)), axis=1)[:, :2]
        sound = len(codes(held)) == 4 and not codes(PATH.edges) & codes(held)
        assert is_passed(Split(PATH, *(held[k : k + 1] for k in range(4)))) == sound
        judged.append(sound)
    assert 50 < sum(judged) < 250


@pytest.mark.parametrize(
    ("leak", "message"),
    [
        ({"test_edges": pairs((1, 0))}, r"1 of the test edges stands in the training graph.*'1' - '0'"),
        ({"val_edges": pairs((0, 2), (5, 4))}, "validation edges stands? in the training graph"),
        ({"test_non_edges": pairs((3, 4))}, "test non-edges stands in the training graph"),
        ({"val_non_edges": pairs((4, 3))}, "validation non-edges stands in the training graph"),
        ({"test_edges": pairs((2, 0))}, "'0' - '2' is held out 2 times"),
        ({"test_non_edges": pairs((0, 4))}, "held out 2 times"),
        ({"test_edges": pairs((0, 4), (4, 0))}, "held out 2 times"),
    ],
)
def test_the_audit_refuses_a_leak(leak: dict[str, npt.NDArray[np.int32]], message: str) -> None:
    with pytest.raises(LeakError, match=message):
        audit(replace(SOUND, **leak))  # type: ignore[arg-type]


def test_the_audit_refuses_nodes_that_do_not_exist() -> None:
    with pytest.raises(InputError, match=r"outside 0 \.\. 10"):
        audit(replace(SOUND, test_edges=pairs((0, 11))))


def test_a_complete_graph_is_too_dense() -> None:
    complete = Graph.from_edges([[i, j] for i in range(6) for j in range(i)])
    with pytest.raises(InputError, match="4 non-edges are needed, but only 0 pairs are unconnected"):
        split(complete, val=0.1, test=0.2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"val": -0.1}, "val must lie"),
        ({"test": 1.0}, "test must lie"),
        ({"val": float("nan")}, "val must lie"),
        ({"val": 0.5, "test": 0.5}, "below 1"),
        ({"seed": 0.5}, "seed must be a whole number"),
    ],
)
def test_settings_are_judged(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        split(PATH, **settings)  # type: ignore[arg-type]
