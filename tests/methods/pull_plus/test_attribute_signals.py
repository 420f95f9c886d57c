"""What features say about pairs: by hand, against dense algebra, and whatever scale they come in."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.methods.pull_plus.attribute_signals import Attributes, Surroundings
from pulink.methods.pull_plus.quantities.pairs import PairQuantities
from pulink.methods.pull_plus.signals import ATTRIBUTES, SIGNALS
from tests.support.small_views import all_pairs, numbers, random_graph, words

N = 14
PAIRS = all_pairs(N)
OF_ATTRIBUTES = [own for own in SIGNALS if own.family == ATTRIBUTES and UNDIRECTED in own.kinds]
NAMES = [own.name for own in OF_ATTRIBUTES]


def signals_of(around: Surroundings, pairs: npt.NDArray[np.int64] = PAIRS) -> npt.NDArray[np.float32]:
    """The signals that look at nothing but attributes (k x 9)."""
    quantities = PairQuantities(SimpleNamespace(attributes=around), pairs)  # type: ignore[arg-type]
    return np.stack([own.of_pairs(quantities) for own in OF_ATTRIBUTES], axis=1).astype(np.float32)


def steps(dense: npt.NDArray[np.float64]) -> sp.csr_array:
    """From an adjacency to means over neighbours."""
    return sp.csr_array(dense / np.maximum(dense.sum(axis=1, keepdims=True), 1))


def some_steps(seed: int = 0) -> sp.csr_array:
    graph = random_graph(N, 25, seed)
    dense = np.zeros((N, N))
    dense[graph.edges[:, 0], graph.edges[:, 1]] = dense[graph.edges[:, 1], graph.edges[:, 0]] = 1
    return steps(dense)


def unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


def written_out(features: object, walk: sp.csr_array, found: Attributes) -> npt.NDArray[np.float64]:
    """The nine signals of all pairs by products of whole matrices; components are taken as found."""
    if sp.issparse(features):
        plain = features.toarray().astype(np.float64)
        present = (plain != 0).astype(np.float64)
        rows = unit(present * np.log(1 + len(plain) / np.maximum(present.sum(axis=0), 1)))
    else:
        plain = np.asarray(features, dtype=np.float64)
        present = np.zeros_like(plain)
        rows = unit((plain - plain.mean(axis=0)) / plain.std(axis=0))
    around = walk @ rows
    y = found.components.astype(np.float64)
    y_around = unit(walk @ y)
    near, across = around @ rows.T, y_around @ y.T
    tables = [
        rows @ rows.T,
        unit(plain) @ unit(plain).T,
        present @ present.T,
        np.minimum(near, near.T),
        np.maximum(near, near.T),
        y @ y.T,
        y_around @ y_around.T,
        np.minimum(across, across.T),
        np.maximum(across, across.T),
    ]
    return np.stack([table[PAIRS[:, 0], PAIRS[:, 1]] for table in tables], axis=1)


def test_words_by_hand() -> None:
    """Node 0 has words a and b, node 1 has b twice, node 2 has c, node 3 none; 0 - 1 - 2."""
    features = sp.csr_array(np.array([[1, 1, 0], [0, 2, 0], [0, 0, 1], [0, 0, 0]], dtype=np.float32))
    walk = np.zeros((4, 4))
    walk[[0, 1, 1, 2], [1, 0, 2, 1]] = 1
    signals = signals_of(Attributes.of(features, 0).around(steps(walk)), all_pairs(4))
    of = {
        pair: dict(zip(NAMES, row.tolist(), strict=True))
        for pair, row in zip([(0, 1), (0, 2)], signals, strict=False)
    }
    a, b = math.log(5), math.log(3)  # found in one and in two of four rows
    cosine = b / math.hypot(a, b)
    assert of[0, 1]["features"] == pytest.approx(cosine)
    assert of[0, 1]["features_plain"] == pytest.approx(math.sqrt(0.5))
    assert [of[0, 1]["features_shared"], of[0, 2]["features_shared"]] == [1, 0]
    # Around 0 is b alone, which is all of node 1; around 1 is half of node 0 and half of node 2.
    assert of[0, 1]["features_around_high"] == pytest.approx(1)
    assert of[0, 1]["features_around_low"] == pytest.approx(0.5)
    # Around 2 is node 1: b, which node 0 has; around 0 is nothing of node 2.
    assert [of[0, 2]["features_around_low"], of[0, 2]["features_around_high"]] == [0, pytest.approx(cosine)]
    assert not signals[[2, 4, 5]].any()  # node 3 has nothing and nobody


@pytest.mark.parametrize("features", [words(N, 9, 0), numbers(N, 5, 0)], ids=["sparse", "dense"])
def test_all_pairs_equal_products_of_whole_matrices(features: object) -> None:
    walk = some_steps()
    found = Attributes.of(features, 0)  # type: ignore[arg-type]
    assert signals_of(found.around(walk)) == pytest.approx(written_out(features, walk, found), abs=2e-6)


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), columns=st.integers(0, 7), dense=st.booleans())
def test_signals_are_symmetric_to_the_bit_and_finite(seed: int, columns: int, dense: bool) -> None:
    features = numbers(N, columns, seed) if dense else words(N, columns, seed)
    around = Attributes.of(features, seed).around(some_steps(seed))
    signals = signals_of(around)
    assert np.isfinite(signals).all()
    assert np.array_equal(signals_of(around, np.ascontiguousarray(PAIRS[:, ::-1])), signals)


@pytest.mark.parametrize("scale", [1e30, 1e-30])
@pytest.mark.parametrize("features", [words(N, 9, 0), numbers(N, 4, 0)], ids=["sparse", "dense"])
def test_the_scale_of_features_does_not_matter(features: object, scale: float) -> None:
    walk = some_steps()
    scaled = (features * np.float32(scale)).astype(np.float32)  # type: ignore[operator]
    one, other = (signals_of(Attributes.of(own, 0).around(walk)) for own in (features, scaled))
    assert other == pytest.approx(one, abs=1e-5)


def test_a_column_that_never_varies_says_nothing() -> None:
    """The copies of 0.1 have a mean that is not quite 0.1."""
    n = 3001
    varied = numbers(n, 1, 0)
    pairs = all_pairs(60)
    nowhere = sp.csr_array((n, n))
    of = [
        signals_of(
            Attributes.of(np.hstack([varied, np.full((n, 1), value, np.float32)]), 0).around(nowhere), pairs
        )
        for value in (0.0, 0.1)
    ]
    assert np.array_equal(of[0][:, 0], of[1][:, 0])


def test_zeros_that_are_stored_are_no_words() -> None:
    padded = words(N, 6, 0)
    padded.data = np.where(np.arange(padded.nnz) % 3 == 0, 0, 1).astype(np.float32)
    clean = padded.copy()
    clean.eliminate_zeros()
    assert clean.nnz < padded.nnz
    walk = some_steps()
    one, other = (signals_of(Attributes.of(own, 0).around(walk)) for own in (padded, clean))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("features", [words(N, 9, 0), numbers(N, 5, 0)], ids=["sparse", "dense"])
def test_what_is_stored_gives_the_same_signals_to_the_bit(features: object) -> None:
    walk = some_steps()
    found = Attributes.of(features, 0)  # type: ignore[arg-type]
    again = Attributes.from_state(found.state(), N)
    assert np.array_equal(signals_of(again.around(walk)), signals_of(found.around(walk)))


@pytest.mark.parametrize("features", [words(N, 9, 0), numbers(N, 5, 0)], ids=["sparse", "dense"])
def test_damaged_arrays_are_refused(features: object) -> None:
    state = Attributes.of(features, 0).state()  # type: ignore[arg-type]
    for name, array in state.items():
        with pytest.raises((ValueError, KeyError)):
            Attributes.from_state(state | {name: array[:-1]}, N)
        # Of dense features nothing is shared, and models that were made before have no leading components.
        if not name.startswith(("shared", "leading")):
            with pytest.raises((ValueError, KeyError)):
                Attributes.from_state({key: own for key, own in state.items() if key != name}, N)
    with pytest.raises(ValueError, match="do not fit its graph"):
        Attributes.from_state(state, N + 1)


def test_columns_beyond_the_matrix_are_refused() -> None:
    state = Attributes.of(words(N, 9, 0), 0).state()
    state["rows.indices"] = state["rows.indices"] + 1000
    with pytest.raises(ValueError, match="indices must be"):
        Attributes.from_state(state, N)
