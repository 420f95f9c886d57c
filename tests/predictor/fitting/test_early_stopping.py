"""One stopping rule, worked by hand."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink.predictor.fitting.early_stopping import EarlyStopping

RISING_THEN_FLAT = [0.5, 0.7, 0.6, 0.7, 0.8, 0.8, 0.1, 0.2, 0.3]


def ended_at(stopping: EarlyStopping, values: list[float | None]) -> int | None:
    """The step after which the rule stops, counted from 1; None if it goes on to the end."""
    for step, value in enumerate(values, start=1):
        stopping.look(step, value)
        if stopping.is_over(step):
            return step
    return None


@pytest.mark.parametrize(
    ("patience", "last", "kept"),
    [(0, 3, 2), (1, 4, 2), (2, 8, 5), (3, 9, 5), (4, None, 5)],
)
def test_it_stops_when_more_looks_in_a_row_than_its_patience_failed(
    patience: int, last: int | None, kept: int
) -> None:
    stopping = EarlyStopping(patience)
    assert ended_at(stopping, list(RISING_THEN_FLAT)) == last
    assert stopping.kept == kept
    assert stopping.best == RISING_THEN_FLAT[kept - 1]


def test_a_tie_is_no_better() -> None:
    stopping = EarlyStopping()
    assert stopping.look(1, 0.5)
    assert not stopping.look(2, 0.5)
    assert (stopping.kept, stopping.misses, stopping.is_over(2)) == (1, 1, True)


def test_nan_is_never_better_and_a_number_is_better_than_nan() -> None:
    stopping = EarlyStopping(patience=5)
    assert not stopping.look(1, math.nan)
    assert (stopping.kept, stopping.misses, stopping.best) == (0, 1, -math.inf)
    assert stopping.look(2, 0.1)
    assert not stopping.look(3, math.nan)
    assert (stopping.kept, stopping.misses, stopping.best) == (2, 1, 0.1)


def test_it_never_stops_before_the_least_step_and_then_at_once() -> None:
    stopping = EarlyStopping(patience=1, min_step=6)
    assert ended_at(stopping, [0.9, 0.1, 0.1, 0.1, 0.1, 0.1]) == 6
    assert stopping.kept == 1


def test_a_new_best_at_the_least_step_goes_on() -> None:
    assert ended_at(EarlyStopping(patience=0, min_step=3), [0.5, 0.4, 0.6, 0.5]) == 4


def test_without_stopping_the_best_is_noted_all_the_same() -> None:
    stopping = EarlyStopping(stop=False)
    assert ended_at(stopping, [0.5, 0.9, 0.1, 0.2]) is None
    assert (stopping.kept, stopping.best, stopping.misses) == (2, 0.9, 2)


def test_without_values_the_latest_is_kept_and_nothing_stops() -> None:
    stopping = EarlyStopping()
    assert ended_at(stopping, [None, None, None]) is None
    assert (stopping.kept, stopping.best, stopping.misses) == (3, -math.inf, 0)


def test_a_loss_should_fall() -> None:
    stopping = EarlyStopping(patience=1, larger_is_better=False)
    assert stopping.best == math.inf
    assert ended_at(stopping, [3.0, 2.0, 2.0, 1.0, 1.5, 1.0]) == 6
    assert (stopping.kept, stopping.best) == (4, 1.0)


@given(
    values=st.lists(st.one_of(st.none(), st.floats(allow_infinity=False)), max_size=30),
    cut=st.integers(0, 30),
    patience=st.integers(0, 4),
    min_step=st.integers(0, 20),
    larger_is_better=st.booleans(),
)
def test_going_on_from_the_middle_is_the_same_as_never_having_stopped(
    values: list[float | None], cut: int, patience: int, min_step: int, larger_is_better: bool
) -> None:
    whole, first, second = (EarlyStopping(patience, min_step, True, larger_is_better) for _ in range(3))
    for step, value in enumerate(values[:cut], start=1):
        first.look(step, value)
    second.load_state_dict(json.loads(json.dumps(first.state_dict() | {"epoch": 7})))
    for step, value in enumerate(values, start=1):
        better = whole.look(step, value)
        if step > cut:
            assert (second.look(step, value), second.is_over(step)) == (better, whole.is_over(step))
            assert second == whole
