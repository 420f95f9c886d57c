"""Which pairs are drawn: strata of equally many hidden edges, each in a random order, rounds of one each."""

from __future__ import annotations

import numpy as np
import pytest

from pulink.calibration.review.design import ReviewDesign
from pulink.errors import InputError
from tests.support.reviews import small_design


def order_of(design: ReviewDesign, n: int, unsure: int | None = None) -> list[tuple[int, int]]:
    """Stratum and rank of the first pairs; the one at `unsure` does not count."""
    counted, drawn = [0] * design.n_strata, [0] * design.n_strata
    found: list[tuple[int, int]] = []
    for k in range(n):
        stratum = design.next_stratum(counted, drawn)
        if stratum is None:
            break
        found.append((stratum, design.draw(stratum, drawn[stratum])))
        drawn[stratum] += 1
        counted[stratum] += k != unsure
    return found


def test_every_pair_is_drawn_once_and_then_nothing() -> None:
    design = small_design([3, 5, 9], [4.0, 4.0, 4.0])
    found = order_of(design, 100)
    assert sorted(rank for _, rank in found) == list(range(17))
    assert all(design.stratum_of(rank) == stratum for stratum, rank in found)
    # Three rounds of three strata, two of two, and the rest.
    assert [sorted(s for s, _ in found[k : k + 3]) for k in (0, 3, 6)] == [[0, 1, 2]] * 3
    assert [sorted(s for s, _ in found[k : k + 2]) for k in (9, 11)] == [[1, 2]] * 2
    assert {s for s, _ in found[13:]} == {2}


def test_the_place_of_a_rank_is_when_it_is_drawn() -> None:
    design = small_design([4, 30], [5.0, 5.0], seed=3)
    for stratum, size in enumerate([4, 30]):
        assert [design.place_of(design.draw(stratum, place)) for place in range(size)] == list(range(size))


def test_a_pair_that_is_unsure_is_replaced_in_its_stratum_within_the_round() -> None:
    found = order_of(small_design([50] * 4, [9.0] * 4), 5, unsure=1)
    strata = [stratum for stratum, _ in found]
    assert strata.count(strata[1]) == 2
    assert sorted(set(strata)) == [0, 1, 2, 3]


def test_seeds_draw_other_pairs() -> None:
    one, other = (order_of(small_design([50] * 4, [9.0] * 4, seed=seed), 20) for seed in (0, 1))
    assert one != other
    assert one == order_of(small_design([50] * 4, [9.0] * 4), 20)


def test_each_pair_of_a_stratum_is_drawn_first_equally_often() -> None:
    first = [small_design([5, 5], [3.0, 3.0], seed=seed).draw(0, 0) for seed in range(1000)]
    # 200 each, with a standard deviation of 13.
    assert (abs(np.bincount(first, minlength=5) - 200) < 60).all()


def test_what_a_ledger_holds_gives_the_design_back_or_is_refused() -> None:
    design = small_design([3, 5], [4.0, 4.0], tail=2.0)
    kept = design.to_dict()
    same = small_design([8], [8.0], tail=2.0).like(kept, 7)
    assert same.ends.tolist() == design.ends.tolist()
    assert same.seed == 7
    for wrong in ({"ends": [3, 3]}, {"ends": []}, {"hidden": [-1, 2]}, {"tail": float("nan")}, {"bound": "x"}):
        with pytest.raises(InputError, match="design of the review"):
            design.like(kept | wrong, 0)
    with pytest.raises(InputError, match="cannot be read"):
        design.like({}, 0)
