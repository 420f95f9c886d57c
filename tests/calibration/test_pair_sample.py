"""All unconnected pairs, some of them one by one and some for many."""

from __future__ import annotations

import numpy as np
import pytest

from pulink.calibration import pair_sample
from pulink.calibration.pair_sample import PairSample
from tests.support.small_views import all_pairs, random_graph

GRAPH = random_graph(40, 100, 0)
FREE = all_pairs(40)[~GRAPH.has_edges(all_pairs(40))]
HIDDEN, LISTED = FREE[10:30], FREE[20:60]


def test_of_few_pairs_every_one_is_asked_once() -> None:
    asked = PairSample.of(GRAPH, LISTED, HIDDEN, seed=0)
    assert sorted(map(tuple, asked.pairs.tolist())) == sorted(map(tuple, FREE.tolist()))
    assert (asked.weights == 1).all()
    assert sorted(map(tuple, asked.pairs[asked.labelled].tolist())) == list(map(tuple, HIDDEN.tolist()))


def test_a_sample_stands_for_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_sample, "SAMPLE", 100)
    asked = PairSample.of(GRAPH, LISTED, HIDDEN, seed=0)
    assert asked.weights.sum() == pytest.approx(len(FREE))
    codes = GRAPH.pair_space.codes(asked.pairs)
    assert len(np.unique(codes)) == len(codes)
    assert (asked.weights[:50] == 1).all()
    assert len(codes) < len(FREE)
    assert (asked.weights[50:] > 1).all()
    assert asked.labelled.sum() == len(HIDDEN)
    assert not GRAPH.has_edges(asked.pairs).any()


def test_hidden_edges_of_a_graph_without_others() -> None:
    asked = PairSample.of(GRAPH, FREE, HIDDEN[:0], seed=0)
    assert len(asked.pairs) == len(FREE)
    assert not asked.labelled.any()
