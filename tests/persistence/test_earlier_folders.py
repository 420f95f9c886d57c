"""Model folders and checkpoints that an earlier pulink wrote: read as they were meant, or left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import pulink
from tests.support.small_views import all_pairs

STORED = Path(__file__).parent / "stored"
SCORES = load_file(STORED / "scores.safetensors")


@pytest.mark.parametrize("name", ["pull-plus", "pull", "l3n"])
def test_a_model_of_an_earlier_pulink_gives_the_scores_that_it_gave(name: str) -> None:
    scores = pulink.load_model(STORED / name).decision_function(all_pairs(40))
    assert np.array_equal(scores, SCORES[name])
