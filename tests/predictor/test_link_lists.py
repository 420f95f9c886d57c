"""Lists of links: of one node, of every node, the longest that can be trusted; never with known non-links."""

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pulink
from pulink.errors import InputError, ParameterError
from pulink.graph.split import split
from pulink.methods.registry import method
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.search_scope import BestOfEachNode
from tests.support.planted import planted_graph

GRAPH = planted_graph(15, 2, 0.6, 0.05, seed=2)
FREE = np.array(
    [(i, j) for i, j in itertools.combinations(range(30), 2) if not GRAPH.has_edges(np.array([[i, j]]))[0]]
)
ABSENT = FREE[::7]


@pytest.fixture(scope="module", params=["pull", "l3n", "pull-plus"])
def model(request: pytest.FixtureRequest) -> LinkPredictor:
    brief = {"pull": {"n_epochs": 20, "max_iterations": 2}, "pull-plus": {"n_epochs": 10, "n_trees": 10}}
    return method(request.param).make(**brief.get(request.param, {})).fit(GRAPH.with_absent(ABSENT))


def pairs_of(frame: pl.DataFrame) -> list[frozenset[str]]:
    return [frozenset(row) for row in frame.select("source", "target").rows()]


def test_known_non_links_are_never_listed_and_have_no_chance(model: LinkPredictor) -> None:
    absent = {frozenset(map(str, pair)) for pair in ABSENT.tolist()}
    listed = pairs_of(model.missing_links(10_000))
    assert len(listed) == len(FREE) - len(ABSENT)
    assert not absent & set(listed)
    every, _ = model.links_per_node(29)
    assert set(pairs_of(every)) == set(listed)
    for node in range(30):
        assert not absent & set(pairs_of(model.suggest(node, 30)))
    assert (model.predict_proba(ABSENT[:, ::-1]) == 0).all()
    assert (model.predict_proba(FREE).sum() > 0).all()


def test_suggestions_are_the_rows_of_one_node(model: LinkPredictor) -> None:
    whole = model.missing_links(10_000)
    own = whole.filter((pl.col("source") == "4") | (pl.col("target") == "4"))
    found = model.suggest(4, 100)
    assert (found["source"] == "4").all()
    assert set(pairs_of(found)) == set(pairs_of(own))
    assert found["probability"].to_list() == own["probability"].to_list()
    assert found.head(3).equals(model.suggest("4", 3))


def test_every_node_gets_its_best_links(model: LinkPredictor) -> None:
    found, searched = model.links_per_node(3)
    assert searched.exact
    assert found["source"].to_list() == sorted(found["source"].to_list(), key=int)
    for node in range(30):
        own = found.filter(pl.col("source") == str(node))
        assert own["probability"].to_list() == model.suggest(node, 3)["probability"].to_list()
    likely = found["probability"].max()
    assert isinstance(likely, float)
    kept, _ = model.links_per_node(3, min_probability=likely)
    assert 0 < kept.height < found.height
    assert (kept["probability"] == likely).all()


def test_a_trusted_list_is_a_beginning_of_the_whole_and_grows_with_the_level(model: LinkPredictor) -> None:
    whole = model.missing_links(10_000)
    heights = []
    for level in (0.05, 0.5, 0.9, 0.99):
        found = model.missing_links(fdr=level)
        assert found.equals(whole.head(found.height))
        assert model.missing_links(2, fdr=level).height == min(2, found.height)
        heights.append(found.height)
    assert heights == sorted(heights)
    assert heights[-1] > 0


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 7])
def test_a_level_is_a_share(model: LinkPredictor, level: float) -> None:
    with pytest.raises(ParameterError, match=r"fdr must lie in \(0, 1\)"):
        model.missing_links(fdr=level)


def test_nothing_can_be_trusted_without_hidden_edges() -> None:
    tiny = pulink.PULL(n_epochs=2, max_iterations=1).fit(pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]]))
    with pytest.raises(InputError, match="fdr needs hidden edges"):
        tiny.missing_links(fdr=0.1)


def test_a_node_that_is_not_there_is_named(model: LinkPredictor) -> None:
    with pytest.raises(InputError, match="no node is called 'nobody'"):
        model.suggest("nobody")


def test_far_more_pairs_than_can_be_listed_leave_no_node_out() -> None:
    """4 x 2 x 120 = 960 of 6,900 free pairs are searched; all from hubs, unless others are asked one by one."""
    star = [[0, k] for k in range(1, 118)] + [[118, 119]]
    model = method("l3n").make().fit(pulink.Graph.from_edges(star, 120))
    found, searched = model.links_per_node(2)
    assert isinstance(searched, BestOfEachNode)
    assert (searched.per_node, searched.n_listed) == (2, 960)
    assert searched.n_asked > 0
    assert not searched.exact
    assert (found.group_by("source").len()["len"] == 2).all()
    assert found["source"].n_unique() == 120


@pytest.mark.slow
def test_training_keeps_known_non_links_down() -> None:
    """A quarter of the free pairs inside a block is known to be none: PULL learns it."""
    inside = FREE[(FREE < 15).all(axis=1)]
    absent = inside[::4]
    plain, taught = (
        pulink.PULL(n_epochs=150, max_iterations=3, stop=False).fit(graph)
        for graph in (GRAPH, GRAPH.with_absent(absent))
    )
    drops = plain.decision_function(absent).mean() - taught.decision_function(absent).mean()
    others = np.setdiff1d(np.arange(len(inside)), np.arange(0, len(inside), 4))
    rests = plain.decision_function(inside[others]).mean() - taught.decision_function(inside[others]).mean()
    assert drops > rests + 0.05
    assert not taught.expected_graph_.has_edges(absent).any()


def test_pairs_that_are_no_links_cannot_be_edges() -> None:
    with pytest.raises(InputError, match="1 of the pairs that are no links is an edge"):
        GRAPH.with_absent(np.concatenate([ABSENT, GRAPH.edges[:1, ::-1]]))
    with pytest.raises(InputError, match=r"must lie in 0 \.\. 29"):
        GRAPH.with_absent(np.array([[0, 30]]))
    assert GRAPH.with_absent(np.array([[3, 3]])).absent is None


def test_pairs_that_are_no_links_may_be_named() -> None:
    graph = pulink.Graph.from_edges([[0, 1], [1, 2]], names=["a", "b", "c"])
    marked = graph.with_absent([("c", "a")])
    assert marked.absent is not None
    assert marked.absent.tolist() == [[0, 2]]
    with pytest.raises(InputError, match="no node is called 'd'"):
        graph.with_absent([("a", "d")])


@pytest.mark.parametrize("name", ["resource-allocation", pytest.param("pull-plus", marks=pytest.mark.slow)])
def test_pairs_found_to_be_no_links_are_no_longer_counted_on(name: str) -> None:
    """Most pairs inside of blocks were checked in vain: fewer links are thought missing, and chances add up."""
    settings = {"n_epochs": 20, "n_trees": 20, "n_splits": 2} if name == "pull-plus" else {}
    graph = planted_graph(40, 3, 0.7, 0.01, seed=3)
    first = pulink.make(name, seed=0, **settings).fit(graph)
    checked = graph.with_absent(first.best_pairs(600)[0])
    second = pulink.make(name, seed=0, **settings).fit(checked)
    assert second.estimate_missing().best < 0.5 * first.estimate_missing().best
    checked = graph.with_absent(first.best_pairs(200)[0])
    told = pulink.make(name, seed=0, missing_share=0.05, **settings).fit(checked)
    pairs = np.stack(np.triu_indices(graph.n_nodes, k=1), axis=1)
    free = pairs[~graph.has_edges(pairs)]
    expected = told.estimate_missing().best
    assert expected <= checked.n_edges / 19
    assert told.predict_proba(free[~checked.is_absent(free)]).sum() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("share", [pytest.param(0.02, marks=pytest.mark.slow), 0.3])
def test_another_share_of_missing_links_is_as_if_fitted_with_it(share: float) -> None:
    first, second = (pulink.PULL(n_epochs=20, max_iterations=2, missing_share=own) for own in (0.1, share))
    ready, wanted = first.fit(GRAPH).assuming(share), second.fit(GRAPH)
    assert ready.estimate_missing() == wanted.estimate_missing()
    np.testing.assert_array_equal(ready.predict_proba(FREE), wanted.predict_proba(FREE))
    assert ready.missing_links(fdr=0.5).equals(wanted.missing_links(fdr=0.5))
    assert ready.missing_share == share
    assert first.missing_share == 0.1
    assert not np.array_equal(first.predict_proba(FREE), wanted.predict_proba(FREE))


def test_another_share_serves_a_split_too() -> None:
    split = pulink.split(GRAPH, seed=1)
    model, other = (pulink.PULL(n_epochs=20, max_iterations=1, missing_share=own).fit(split) for own in (0.1, 0.4))
    np.testing.assert_array_equal(model.assuming(0.4).predict_proba(FREE), other.predict_proba(FREE))


def test_a_stored_model_knows_how_many_edges_it_knew(tmp_path: Path) -> None:
    """The validation edges of a split are known too, but in no graph that is stored."""
    data = split(planted_graph(40, 3, 0.4, 0.02, seed=3), val=0.2, test=0.1, seed=0)
    model = pulink.ResourceAllocation(seed=0).fit(data)
    expected = model.assuming(0.3).estimate_missing()
    model.save(tmp_path / "model")
    assert pulink.load_model(tmp_path / "model").assuming(0.3).estimate_missing() == expected
