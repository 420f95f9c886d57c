"""Nothing of the held-out pairs reaches a method on directed, bipartite and typed graphs either."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, TYPED
from pulink.graph.spaces.roles import nodes_of
from pulink.nn.trainer import LossTerm
from pulink.predictor.by_embedding import EmbeddingPredictor
from tests.leakage.test_positives import recorded_terms
from tests.leakage.test_random_graph import BOUND, BUDGET
from tests.support.planted_kinds import small_planted
from tests.support.quick import BRIEF, make

OTHER_KINDS = (DIRECTED, BIPARTITE, TYPED)
CASES = [
    (name, kind) for kind in OTHER_KINDS for name, entry in pulink.METHODS.items() if kind in entry.predictor.kinds
]
# These stand for the others in every run of the tests; the slow ones try all.
FEW = {"pull", "gcn-ce", "l3n"}
FEW_THEN_ALL = [case if case[0] in FEW else pytest.param(*case, marks=pytest.mark.slow) for case in CASES]
EMBEDDED = [case for case in CASES if issubclass(pulink.METHODS[case[0]].predictor, EmbeddingPredictor)]
SEEDS = 2


def uniform_graph(kind: str, seed: int) -> pulink.Graph:
    """A graph whose edges are any pairs of its space."""
    sizes = {DIRECTED: (110,), BIPARTITE: (110, 110), TYPED: (75, 75, 75)}[kind]
    types = [f"type {k}" for k, size in enumerate(sizes) for _ in range(size)]
    between = {BIPARTITE: [("type 0", "type 1")], TYPED: [("type 0", "type 1"), ("type 2", "type 2")]}.get(kind)
    named = None if kind == DIRECTED else types
    # An edge of every pair of types makes the space; then others take its place.
    start = [[0, 1]] if kind == DIRECTED else [[0, sizes[0]]]
    space = pulink.Graph.from_edges(start, len(types), kind=kind, node_types=named, between=between).pair_space
    rows = space.sampler().draw_distinct(1_000, np.uint64(seed))
    return pulink.Graph.from_edges(rows, len(types), kind=kind, node_types=named, between=between)


@pytest.mark.parametrize(("name", "kind"), FEW_THEN_ALL)
def test_where_edges_are_random_auroc_is_a_half(name: str, kind: str) -> None:
    splits = [pulink.split(uniform_graph(kind, seed), val=0.1, test=0.3, seed=seed) for seed in range(SEEDS)]
    aurocs = [make(name, BUDGET, seed).fit(data).score(data)["auroc"] for seed, data in enumerate(splits)]
    n = len(splits[0].test_edges)
    error = float(np.sqrt((2 * n + 1) / (12 * n**2) / SEEDS))
    assert np.mean(aurocs) == pytest.approx(0.5, abs=BOUND * error)


@pytest.mark.parametrize(("name", "kind"), EMBEDDED)
def test_certain_positives_are_training_edges(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    split = pulink.split(small_planted(kind), val=0.2, test=0.2, seed=0)
    seen = recorded_terms(monkeypatch)
    make(name, BRIEF).fit(split)
    assert seen
    for term in seen:
        assert split.train.has_edges(pairs_of(term, kind)[term.targets == 1]).all()
        added = pairs_of(term, kind)[term.targets < 1]
        assert not split.train.has_edges(added).any()
        assert split.train.pair_space.allowed(added).all()


def pairs_of(term: LossTerm, kind: str) -> np.ndarray:
    """Its positives as pairs of nodes: of a directed graph they are pairs of roles."""
    return nodes_of(term.positives) if kind == DIRECTED else term.positives
