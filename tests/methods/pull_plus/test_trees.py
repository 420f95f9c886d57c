"""Trees as arrays: by hand, equal to LightGBM to the bit, and refused when they lead nowhere."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from pulink.engine.threads import use_threads
from pulink.errors import InputError
from pulink.methods.pull_plus.scoring import trees
from pulink.methods.pull_plus.scoring.trees import Grower, Trees

Rows = npt.NDArray[np.float32]


def ints(*numbers: object) -> npt.NDArray[np.int32]:
    return np.array(numbers, dtype=np.int32)


# Left of 0.5 in column 1: leaf 10. Right: column 0 up to -1 gives 20, above 30. The second tree is a leaf: 0.25.
BY_HAND = Trees(
    ints(0, -4), ints(1, 0), np.array([0.5, -1.0]), ints([-1, 1], [-2, -3]), np.array([10, 20, 30, 0.25])
)


def rows(n_rows: int, n_columns: int, seed: int) -> Rows:
    """Columns with zeros, ties and a constant among them."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n_rows, n_columns)), 2) * (rng.random((n_rows, n_columns)) < 0.7)
    x[:, -1] = 1
    return x.astype(np.float32)


def grown(x: Rows, labels: npt.NDArray[np.float64], n_trees: int = 10, **more: Any) -> Trees:
    return Grower(x, **{"n_trees": n_trees, "n_leaves": 7, "rate": 0.1, "seed": 0} | more).grow(labels)


def test_two_trees_by_hand() -> None:
    x = np.array([[9, 0.5], [-1, 0.6], [-0.9, 0.6]], dtype=np.float32)
    assert BY_HAND.scores(x).tolist() == [10.25, 20.25, 30.25]
    assert BY_HAND.n_columns == 2
    assert BY_HAND.scores(x[:0]).tolist() == []


@settings(max_examples=12)
@given(n_rows=st.integers(2, 400), n_columns=st.integers(1, 6), seed=st.integers(0, 99), soft=st.booleans())
def test_scores_equal_lightgbm_to_the_bit(n_rows: int, n_columns: int, seed: int, soft: bool) -> None:
    """Also where there are fewer rows than a leaf must have, or one label alone."""
    texts: list[str] = []
    x = rows(n_rows, n_columns, seed)
    labels = np.random.default_rng(seed).random(n_rows)
    with pytest.MonkeyPatch.context() as patch:
        read = trees._read
        patch.setattr(trees, "_read", lambda text: (texts.append(text), read(text))[1])
        found = grown(x, labels if soft else (labels < 0.3).astype(np.float64), seed=seed)
    asked = rows(300, n_columns, seed + 1)
    expected = lightgbm.Booster(model_str=texts[0]).predict(asked, raw_score=True, num_threads=1)
    assert np.array_equal(found.scores(asked), expected)
    assert found.n_columns <= n_columns


def test_trees_are_those_of_the_python_package() -> None:
    """With more rows than bins are made from, and labels given twice: rows are divided once."""
    x = rows(3 * trees._BINNED_ROWS // 2, 4, 0)
    labels = np.where(x[:, 0] * x[:, 1] > x[:, 2], 0.9, 0.1)
    own = Grower(x, n_trees=5, n_leaves=15, rate=0.1, seed=3)
    own.grow(1 - labels)
    settings = own._settings | {"num_threads": 1, "bin_construct_sample_cnt": trees._BINNED_ROWS}
    data = lightgbm.Dataset(x).set_label(labels.astype(np.float32))
    expected = trees._read(lightgbm.train(settings, data, num_boost_round=5).model_to_string())
    found = own.grow(labels)
    for part in fields(Trees):
        assert np.array_equal(getattr(found, part.name), getattr(expected, part.name))


def test_what_lightgbm_refuses_is_told() -> None:
    own = Grower(rows(100, 2, 0), n_trees=1, n_leaves=1, rate=0.1, seed=0)
    with pytest.raises(RuntimeError, match=r"LightGBM: .*num_leaves"):
        own.grow(np.zeros(100))


@pytest.mark.parametrize(("n_leaves", "masked"), [(31, True), (64, False)])
def test_masks_and_walks_give_the_same_bits(n_leaves: int, masked: bool) -> None:
    """Trees with more leaves than a mask has bits are walked."""
    x = rows(3_000, 5, 0)
    found = grown(x, (x[:, 0] * x[:, 1] > x[:, 2]).astype(np.float64), n_trees=20, n_leaves=n_leaves)
    assert (found._masks is not None) == masked
    assert len(found.leaves) / len(found.roots) > n_leaves / 2
    walked = np.empty(len(x))
    found._sum_by_walks(x, walked)
    assert np.array_equal(found.scores(x), walked)


def test_masks_are_not_kept_with_the_trees() -> None:
    x = rows(300, 3, 0)
    own = grown(x, (x[:, 0] > 0).astype(np.float64))
    before = pickle.dumps(own)
    scores = own.scores(x)
    assert pickle.dumps(own) == before
    assert np.array_equal(pickle.loads(before).scores(x), scores)  # noqa: S301 (made in the line above)


def test_a_label_between_0_and_1_is_a_chance() -> None:
    x = rows(200, 3, 0)
    assert grown(x, np.full(200, 0.3)).scores(x) == pytest.approx(logit(0.3), abs=1e-6)
    # Half of the rows are links by 0.9, the others by 0.2; columns tell which.
    high = x[:, 0] > 0
    found = grown(x, np.where(high, 0.9, 0.2), n_trees=300).scores(x)
    assert found[high] == pytest.approx(logit(0.9), abs=0.15)
    assert found[~high] == pytest.approx(logit(0.2), abs=0.15)


def test_what_no_column_tells_alone_is_learned() -> None:
    x = np.random.default_rng(0).normal(size=(600, 3)).astype(np.float32)
    labels = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).astype(np.float64)
    scores = grown(x, labels, n_trees=100).scores(x)
    assert ((scores > 0) == (labels > 0)).mean() > 0.95


def test_neither_company_nor_threads_change_a_bit() -> None:
    x = rows(9_000, 5, 0)
    labels = (x[:, 0] + x[:, 1] > 0).astype(np.float64)
    grown_by = []
    for threads in (1, 2):
        with use_threads(threads):
            grown_by.append(grown(x[:900], labels[:900], n_trees=4))
    for part in fields(Trees):
        assert np.array_equal(*(getattr(own, part.name) for own in grown_by))
    scores = grown_by[0].scores(x)
    with use_threads(2):
        assert np.array_equal(grown_by[0].scores(x), scores)
    for k in (0, 4_095, 4_096, 8_999):
        assert grown_by[0].scores(x[k : k + 1])[0] == scores[k]


@settings(max_examples=8)
@given(n_rows=st.integers(2, 2_000), n_columns=st.integers(1, 6), seed=st.integers(0, 2**40))
def test_rows_grow_the_same_trees_whatever_grew_on_them_before(n_rows: int, n_columns: int, seed: int) -> None:
    x, rng = rows(n_rows, n_columns, seed), np.random.default_rng(seed)
    grower = Grower(x, n_trees=10, n_leaves=7, rate=0.1, seed=seed)
    first, second = rng.random(n_rows), (rng.random(n_rows) < 0.2).astype(np.float64)
    for labels in (first, second, first):
        again, alone = grower.grow(labels), grown(x, labels, seed=seed)
        assert all(np.array_equal(getattr(again, part.name), getattr(alone, part.name)) for part in fields(Trees))


def test_a_seed_chooses_the_rows_and_columns() -> None:
    x = rows(400, 4, 0)
    labels = (x[:, 0] > 0).astype(np.float64)
    one, again, other = (grown(x, labels, seed=seed).scores(x) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("seed", [2**31, 2**63])
def test_any_seed_is_taken(seed: int) -> None:
    x = rows(400, 2, 0)
    links = x[:, 0] > 0
    scores = grown(x, links.astype(np.float64), seed=seed).scores(x)
    assert scores[links].mean() > scores[~links].mean() + 1


@pytest.mark.parametrize(
    "change",
    [
        {"roots": ints(2)},  # no such node
        {"roots": ints(-5)},  # no such leaf
        {"roots": ints(-(2**31))},
        {"children": ints([-1, 0], [-2, -3])},  # round and round
        {"children": ints([-1, 2], [-2, -3])},
        {"children": ints([-1, 1], [-2, -5])},
        {"children": ints([-1, 1])},
        {"children": ints(-1, 1, -2, -3)},
        {"columns": ints(1, -1)},
        {"columns": ints(1)},
        {"thresholds": np.array([0.5])},
        {"thresholds": np.array([0.5, -1], np.float32)},
        {"leaves": np.array([10.0, 20, 30])},
        {"leaves": np.array([10, 20, 30, np.nan])},
        {"roots": np.array([0.5, -4])},
    ],
)
def test_trees_that_lead_nowhere_are_refused(change: dict[str, npt.NDArray[Any]]) -> None:
    with pytest.raises(ValueError, match="its trees"):
        replace(BY_HAND, **change)  # type: ignore[arg-type]


def test_too_little_to_learn_from_is_refused() -> None:
    with pytest.raises(InputError, match="too few pairs to learn from: 1"):
        grown(rows(1, 2, 0), np.ones(1))


def test_signals_that_are_no_numbers_are_refused() -> None:
    x = rows(50, 2, 0)
    x[3, 0] = np.nan
    with pytest.raises(InputError, match="not finite"):
        grown(x, np.ones(50))
