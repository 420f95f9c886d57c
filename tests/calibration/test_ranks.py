"""The order of pairs, by hand."""

import numpy as np

from pulink.calibration.ranks import best_first


def test_equal_scores_keep_their_order_and_end_together() -> None:
    order, ends = best_first(np.array([0.5, 2.0, 0.5, 3.0, 2.0]))
    assert order.tolist() == [3, 1, 4, 0, 2]
    assert ends.tolist() == [0, 2, 4]


def test_no_pairs_have_no_ends() -> None:
    order, ends = best_first(np.empty(0))
    assert len(order) == len(ends) == 0
