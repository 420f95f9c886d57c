"""What every method promises on graphs of every kind that it serves, planted so that missing links are known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy.stats import mannwhitneyu

import pulink
from pulink.errors import InputError
from pulink.explanation.explain import facts
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, KINDS, TYPED, UNDIRECTED
from pulink.predictor.link_lists import COLUMNS
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted_kinds import small_planted
from tests.support.quick import BRIEF, LEARNING, make

OTHER_KINDS = (DIRECTED, BIPARTITE, TYPED)
CASES = [
    (name, kind) for kind in OTHER_KINDS for name, entry in pulink.METHODS.items() if kind in entry.predictor.kinds
]
SERVED_ONLY_ELSEWHERE = [
    (name, kind)
    for kind in OTHER_KINDS
    for name, entry in pulink.METHODS.items()
    if kind not in entry.predictor.kinds
]
# Groups of equal nodes are nothing to a product of degrees.
SEES_DEGREES_ONLY = {"preferential-attachment"}
# Noise and small steps keep it from learning in so few epochs.
SLOW_TO_LEARN = {"argva"}
# These stand for the others where a method is fitted once more; the slow ones try all.
FEW = {"pull", "pull-plus", "gcn-ce", "l3n", "ppr", "common-neighbours"}
FEW_THEN_ALL = [case if case[0] in FEW else pytest.param(*case, marks=pytest.mark.slow) for case in CASES]


class Case(NamedTuple):
    """A method fitted on a split of a planted graph, with all pairs that there are."""

    name: str
    kind: str
    graph: pulink.Graph
    split: pulink.Split
    model: LinkPredictor
    pairs: npt.NDArray[np.int64]


def split_of(kind: str) -> pulink.Split:
    """A tenth of the edges is hidden, and of the free pairs three are known to be no links."""
    found = pulink.split(small_planted(kind), val=0.1, test=0.15, seed=0)
    hidden = found.train.pair_space.codes(found.hidden_edges)
    free = every_free(found.train)
    never = free[~np.isin(found.train.pair_space.codes(free), hidden)][::200][:3]
    return replace(found, train=found.train.with_absent(never))


def every_free(graph: pulink.Graph) -> npt.NDArray[np.int64]:
    return graph.pair_space.unconnected(graph.adjacency).astype(np.int64)


def every_pair(graph: pulink.Graph) -> npt.NDArray[np.int64]:
    return np.concatenate([every_free(graph), graph.edges]).astype(np.int64)


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    name, kind = request.param
    split = split_of(kind)
    model = make(name, LEARNING).fit(split)
    yield Case(name, kind, small_planted(kind), split, model, every_pair(split.train))


def listed(found: pl.DataFrame) -> npt.NDArray[np.int64]:
    return found.select("source", "target").cast(int).to_numpy().reshape(-1, 2)


def test_it_finds_hidden_links_far_above_chance(case: Case) -> None:
    if case.name in SEES_DEGREES_ONLY | SLOW_TO_LEARN:
        pytest.skip("it cannot, on graphs as small and as plain as these")
    space, free = case.graph.pair_space, every_free(case.split.train)
    is_hidden = space.isin(free, case.split.test_edges)
    scores = case.model.decision_function(free)
    # Of all unconnected pairs; as large a lead by luck alone would be a wonder.
    assert mannwhitneyu(scores[is_hidden], scores[~is_hidden], alternative="greater").pvalue < 1e-6
    assert case.model.score(case.split)["auroc"] > 0.75


def test_its_list_holds_every_open_pair_once_and_no_other(case: Case) -> None:
    train = case.split.train
    found = case.model.missing_links(10**6)
    assert found.columns == [*COLUMNS]
    pairs, space = listed(found), train.pair_space
    assert train.absent is not None
    expected = np.setdiff1d(space.codes(every_free(train)), space.codes(train.absent))
    assert space.are_ordered(pairs).all()
    assert np.array_equal(np.sort(space.codes(pairs)), expected)
    probabilities = found["probability"].to_numpy()
    assert (np.diff(probabilities) <= 0).all()
    assert np.array_equal(probabilities, case.model.predict_proba(pairs))
    scores = case.model.decision_function(pairs)
    assert (np.diff(scores) <= 1e-9 * np.abs(scores).max()).all()


@pytest.mark.parametrize("exact_nodes", [0, 10**6])
def test_short_lists_hold_allowed_pairs_only(case: Case, exact_nodes: int) -> None:
    train = case.split.train
    best, _ = case.model.best_pairs(40, exact_nodes=exact_nodes)
    lists: list[npt.NDArray[np.integer]] = [best, listed(case.model.missing_links(40, exact_nodes=exact_nodes))]
    for pairs in lists:
        assert train.pair_space.allowed(pairs).all()
        assert not train.has_edges(pairs).any()
        assert not train.is_absent(pairs).any()
    if exact_nodes:
        scores = np.sort(case.model.decision_function(case.pairs[: -train.n_edges]))[::-1]
        n_absent = train.n_absent
        assert case.model.decision_function(best).min() >= scores[len(best) + n_absent - 1] - 1e-5


def test_each_node_gets_allowed_links_of_its_own(case: Case) -> None:
    train = case.split.train
    pairs = listed(case.model.links_per_node(2)[0])
    assert len(pairs)
    assert train.pair_space.allowed(pairs).all()
    assert not train.has_edges(pairs).any()
    assert not train.is_absent(pairs).any()
    for node in (0, train.n_nodes // 2, train.n_nodes - 1):
        links = listed(case.model.suggest(node, 10**6))
        assert (links == node).any(axis=1).all()
        assert train.pair_space.allowed(links).all()
        expected = train.pair_space.codes(train.open_pairs(node))
        assert np.array_equal(np.sort(train.pair_space.codes(links)), np.sort(expected))
        chances = case.model.suggest(node, 10**6)["probability"].to_numpy()
        assert (np.diff(chances) <= 0).all()


def test_both_ways_of_writing_a_pair_are_one_but_for_directions(case: Case) -> None:
    forth = case.model.decision_function(case.pairs)
    back = case.model.decision_function(case.pairs[:, ::-1])
    assert np.isfinite(forth).all()
    assert np.array_equal(forth, back) == (case.kind != DIRECTED)


def test_what_may_be_no_link_has_no_probability(case: Case) -> None:
    train = case.split.train
    n = train.n_nodes
    every = np.stack(np.divmod(np.arange(n * n), n), axis=1)
    never = every[~train.pair_space.allowed(every) & (every[:, 0] != every[:, 1])]
    assert len(never) == 0 if case.kind == DIRECTED else len(never) > 100
    assert not case.model.predict_proba(never).any()
    assert not case.model.predict_proba(train.absent).any()


def test_a_score_does_not_depend_on_its_batch(case: Case) -> None:
    order = np.random.default_rng(0).permutation(len(case.pairs))
    scores = case.model.decision_function(case.pairs)
    assert np.array_equal(case.model.decision_function(case.pairs[order]), scores[order])
    assert case.model.decision_function(case.pairs[7:8])[0] == scores[7]


def test_it_counts_missing_links_and_lists_those_it_trusts(case: Case) -> None:
    missing = case.model.estimate_missing()
    assert missing is not None
    assert 0 <= missing.low <= missing.best <= missing.high
    assert missing.high < case.split.train.n_pairs - case.split.train.n_edges
    strict, lax = (case.model.missing_links(fdr=level) for level in (0.1, 0.6))
    assert len(strict) <= len(lax)
    assert listed(lax)[: len(strict)].tolist() == listed(strict).tolist()
    assert case.split.train.pair_space.allowed(listed(lax)).all()
    chances = case.model.predict_proba(every_free(case.split.train)).sum()
    # The curve is smooth: on graphs as small as these its sum is that of the links to about a hundredth.
    assert chances == pytest.approx(missing.best + len(case.split.val_edges), rel=0.1)


def test_a_saved_one_answers_alike(case: Case, tmp_path: Path) -> None:
    case.model.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    assert loaded.graph_.kind == case.kind
    assert np.array_equal(loaded.decision_function(case.pairs), case.model.decision_function(case.pairs))
    assert loaded.missing_links(60).equals(case.model.missing_links(60))
    assert loaded.suggest(3).equals(case.model.suggest(3))
    assert repr(loaded.estimate_missing()) == repr(case.model.estimate_missing())
    loaded.save(tmp_path / "again")
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / own).iterdir()} for own in ("model", "again")
    )
    assert one == other


def test_it_says_why(case: Case) -> None:
    pairs = case.model.best_pairs(3)[0]
    for found, pair in zip(facts(case.model, pairs), pairs.tolist(), strict=True):
        assert not {*found.common} & {*pair}


def scores_after(
    name: str, data: pulink.Split | pulink.Graph, pairs: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    return make(name, BRIEF).fit(data).decision_function(pairs)


@pytest.mark.parametrize(("name", "kind"), FEW_THEN_ALL)
def test_the_test_pairs_cannot_be_tasted(name: str, kind: str) -> None:
    split = split_of(kind)
    pairs = every_pair(split.train)
    # Poison: the test edges are called non-edges and the other way round.
    swapped = replace(split, test_edges=split.test_non_edges, test_non_edges=split.test_edges)
    clean = scores_after(name, split, pairs)
    assert np.array_equal(clean, scores_after(name, swapped, pairs))
    # A graph that never held them gives the same.
    train = split.train
    rows = train.edges[:, ::-1] if kind != DIRECTED else train.edges
    context = getattr(train.space, "context", None)
    rows = rows if context is None else np.concatenate([rows, context])
    types = None if train.names._types is None else train.names._types.to_list()
    between = {
        BIPARTITE: [("user", "item")],
        TYPED: [("drug", "protein"), ("disease", "drug")],
    }.get(kind)
    fresh = pulink.Graph.from_edges(rows, train.n_nodes, kind=kind, node_types=types, between=between)
    assert np.array_equal(clean, scores_after(name, replace(split, train=fresh.with_absent(train.absent)), pairs))


@pytest.mark.parametrize(("name", "kind"), SERVED_ONLY_ELSEWHERE)
def test_a_kind_that_is_not_served_is_refused_in_a_line(name: str, kind: str) -> None:
    with pytest.raises(InputError, match=rf"serves graphs that are .*, and this one is {kind}: use ") as refusal:
        make(name, BRIEF).fit(small_planted(kind))
    said = str(refusal.value)
    assert len(said.splitlines()) == 1
    named = [word for word in re.findall(r"[\w+-]+", said.split(": use ")[1].split(", which")[0]) if word != "or"]
    assert "pull-plus" in named
    assert all(kind in pulink.METHODS[other].predictor.kinds for other in named)


def test_every_method_serves_undirected_graphs_and_knows_its_kinds() -> None:
    for entry in pulink.METHODS.values():
        assert UNDIRECTED in entry.predictor.kinds
        assert {*entry.predictor.kinds} <= {*KINDS}
    for name in ("pull", "pull-plus"):
        assert pulink.METHODS[name].predictor.kinds == KINDS
