"""Probabilities assume that links are missing at random: what happens where they are, and where they are not."""

import numpy as np
import pytest

import pulink
from tests.support.planted import planted_graph

WHOLE = planted_graph(60, 6, 0.7, 0.02, seed=5)
FIRST = (WHOLE.edges < 60).all(axis=1)


def expected_and_missing(removed: np.ndarray, seed: int) -> tuple[float, int]:
    """Within the first block: the sum of chances of unconnected pairs, and how many of them are links."""
    share = removed.mean()
    model = pulink.ResourceAllocation(seed=seed, missing_share=float(share)).fit(WHOLE.keep_edges(~removed))
    pairs = np.stack(np.triu_indices(60, k=1), axis=1)
    free = pairs[~model.graph_.has_edges(pairs)]
    return float(model.predict_proba(free).sum()), int(removed[FIRST].sum())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_at_random_a_block_misses_as_many_as_its_chances_say(seed: int) -> None:
    removed = np.random.default_rng(seed).random(WHOLE.n_edges) < 0.15
    expected, missing = expected_and_missing(removed, seed)
    assert expected == pytest.approx(missing, rel=0.3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_one_block_alone_was_badly_recorded_its_links_look_like_non_links(seed: int) -> None:
    """As many are missing in all, but every one in this block: chances there are far too low."""
    rng = np.random.default_rng(seed)
    removed = FIRST & (rng.random(WHOLE.n_edges) < 0.8)
    expected, missing = expected_and_missing(removed, seed)
    assert expected < 0.5 * missing
