"""Nodes that were not there at the fit: every method scores their pairs, and forgets nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import InputError, NotFittedError
from pulink.explanation.explain import facts
from pulink.graph.new_nodes import append_nodes
from pulink.methods.registry import GROUPS
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph
from tests.support.quick import make

PER_BLOCK = 20
N = 2 * PER_BLOCK
GRAPH = planted_graph(PER_BLOCK, 2, 0.6, 0.02, seed=0)
ALL_PAIRS = np.stack(np.triu_indices(N, k=1), axis=1)
BUDGET = {
    "n_epochs": 30,
    "max_rounds": 0,
    "n_trees": 30,
    "n_folds": 2,
    "max_iterations": 1,
    "max_folds": 1,
    "max_epochs": 40,
    "min_epochs": 40,
    "check_every": 40,
    "search_epochs": 6,
    "max_nodes": 8,
    "n_heads": 2,
    "discriminator_steps": 1,
}
# A product of degrees knows no blocks.
SEES_DEGREES_ONLY = {"preferential-attachment"}
# Old pairs are scored by what was learned of their ends, whatever comes near them.
BY_EMBEDDINGS = [
    entry.name
    for entry in pulink.METHODS.values()
    if entry.family not in ("heuristic", "structural", "pull+") or entry.name == "ps2"
]
# One for each way of making what new nodes need.
TOLD_BY_WORDS = ["pull", "gcn-ce", "gat-ce", "sage-ce", "vgae", "vgnae", "ness", "bagging-pu", "id-gnn", "mvgae",
                 "ncn", "ps2", "buddy", "pull-plus"]  # fmt: skip


def words(seed: int = 1) -> npt.NDArray[np.float32]:
    """Two words that tell the blocks, and six that tell nothing."""
    found = (np.random.default_rng(seed).random((N, 8)) < 0.2).astype(np.float32)
    found[:, :2] = np.repeat(np.eye(2), PER_BLOCK, axis=0)
    return found


@cache
def fitted(name: str, with_words: bool = False) -> LinkPredictor:
    graph = GRAPH.with_features(sp.csr_array(words())) if with_words else GRAPH
    return make(name, BUDGET).fit(pulink.split(graph, val=0.05, test=0.0, seed=0))


@pytest.fixture(params=list(pulink.METHODS))
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


def block_auroc(model: LinkPredictor, node: int, known: tuple[int, ...] = ()) -> float:
    """How well a node's scores tell the first block from the second."""
    others = np.setdiff1d(np.arange(N), known)
    scores = model.decision_function(np.stack([np.full(len(others), node), others], axis=1))
    return pulink.metrics.auroc(scores[others < PER_BLOCK], scores[others >= PER_BLOCK])


def test_two_edges_into_a_block_tell_where_a_node_belongs(name: str) -> None:
    grown = fitted(name).with_nodes(["new"], [("new", "3"), ("7", "new")])
    least = 0.3 if name in SEES_DEGREES_ONLY else 0.8
    assert block_auroc(grown, N, known=(3, 7)) > least
    best = grown.suggest("new", 5)
    assert best["source"].to_list() == ["new"] * 5
    assert not {"3", "7", "new"} & {*best["target"]}
    probabilities = best["probability"].to_numpy()
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert (np.diff(probabilities) <= 0).all()


def test_it_is_saved_with_its_new_nodes_and_takes_more(name: str, tmp_path: Path) -> None:
    grown = fitted(name).with_nodes(["new", "newer"], [("new", "3"), ("7", "new"), ("newer", "new")])
    grown.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    pairs = np.stack(np.triu_indices(N + 2, k=1), axis=1)
    assert np.array_equal(loaded.decision_function(pairs), grown.decision_function(pairs))
    assert loaded.missing_links(20).equals(grown.missing_links(20))
    again, twice = (own.with_nodes(["last"], [("last", "newer"), ("last", "3")]) for own in (grown, loaded))
    pair = [("last", "5"), ("last", "30"), ("last", "new")]
    assert np.array_equal(again.decision_function(pair), twice.decision_function(pair))
    assert again.graph_.names.series().to_list()[N:] == ["new", "newer", "last"]


def test_the_model_it_came_from_stays_as_it_was(name: str) -> None:
    model = fitted(name)
    before, arrays = model.decision_function(ALL_PAIRS), {key: own.copy() for key, own in model.state_.items()}
    grown = model.with_nodes(["new"], [("new", "3"), ("7", "new")])
    assert model.graph_.n_nodes == N
    assert grown.graph_.n_edges == model.graph_.n_edges + 2
    assert {*model.state_} == {*arrays}
    assert all(np.array_equal(own, arrays[key]) for key, own in model.state_.items())
    assert np.array_equal(model.decision_function(ALL_PAIRS), before)
    assert grown.estimate_missing() == model.estimate_missing()
    assert type(grown) is type(model)
    assert grown.get_params() == model.get_params()


@pytest.mark.parametrize("name", BY_EMBEDDINGS)
def test_scores_of_old_pairs_stay_to_the_bit(name: str) -> None:
    model = fitted(name)
    grown = model.with_nodes(["new"], [("new", "3"), ("7", "new")])
    assert np.array_equal(grown.decision_function(ALL_PAIRS), model.decision_function(ALL_PAIRS))
    assert np.array_equal(grown.predict_proba(ALL_PAIRS), model.predict_proba(ALL_PAIRS))


def test_heuristics_score_the_extended_graph() -> None:
    edges = [("new", "3"), ("7", "new")]
    whole = append_nodes(fitted("l3n").graph_, ["new"], edges)
    for name in GROUPS["heuristics"]:
        grown = fitted(name).with_nodes(["new"], edges)
        afresh = make(name, BUDGET).fit(pulink.Split(whole, *[np.empty((0, 2), np.int32)] * 4, seed=0))
        pairs = np.stack(np.triu_indices(N + 1, k=1), axis=1)
        assert np.array_equal(grown.decision_function(pairs), afresh.decision_function(pairs))


@pytest.mark.parametrize("name", TOLD_BY_WORDS)
def test_attributes_alone_tell_where_a_node_belongs(name: str) -> None:
    own = np.zeros((1, 8))
    own[0, 0] = 1
    grown = fitted(name, with_words=True).with_nodes(["new"], [], own)
    assert block_auroc(grown, N) > 0.8
    assert grown.graph_.features is not None
    assert np.array_equal(grown.graph_.features[N:].toarray(), own)


@pytest.mark.parametrize("name", ["pull", "ncn", "buddy", "pull-plus"])
def test_a_copy_of_a_node_is_scored_much_as_the_node(name: str) -> None:
    """The same edges and the same words: what a new node gets is what training gave an old one, or close to it."""
    model = fitted(name, with_words=True)
    edges = [("copy", str(other)) for other in model.graph_.neighbours(4)]
    grown = model.with_nodes(["copy"], edges, words()[4:5])
    others = np.setdiff1d(np.arange(N), [4, *model.graph_.neighbours(4)])
    old, new = (grown.decision_function(np.stack([np.full(len(others), k), others], axis=1)) for k in (4, N))
    assert np.corrcoef(old, new)[0, 1] > 0.9
    assert abs(np.mean(old - new)) < 0.5 * old.std()


@pytest.mark.parametrize("with_words", [False, True])
def test_new_rows_are_what_the_encoder_says_on_the_extended_graph(with_words: bool) -> None:
    model = fitted("gcn-ce", with_words)
    assert isinstance(model, pulink.GCNCE)
    given = words()[:1] if with_words else None
    grown = model.with_nodes(["new"], [("new", "3"), ("7", "new")], given)
    graph = grown.graph_
    links = np.eye(N + 1)
    links[graph.edges[:, 0], graph.edges[:, 1]] = links[graph.edges[:, 1], graph.edges[:, 0]] = 1
    s = links / np.sqrt(np.outer(links.sum(axis=0), links.sum(axis=1)))
    x = np.eye(N + 1)[:, :N]
    x[N, [3, 7]] = 0.5
    if with_words:
        x = np.concatenate([words(), words()[:1]])
        x /= np.maximum(x.sum(axis=1, keepdims=True), 1)
    w1, w2, b1, b2 = (
        model.state_[f"encoder.{part}"] for part in ("weights.0", "weights.1", "biases.0", "biases.1")
    )
    z = s @ np.maximum(s @ x @ w1 + b1, 0) @ w2 + b2
    found = grown.state_["embeddings"]
    np.testing.assert_allclose(found[N], z[N], rtol=1e-4, atol=1e-5)
    assert np.array_equal(found[:N], model.embeddings_)


def test_seal_projects_the_words_of_new_nodes() -> None:
    grown = fitted("seal", with_words=True).with_nodes(["new"], [("new", "3")], words()[5:6])
    np.testing.assert_allclose(grown.state_["projected"][N], grown.state_["projected"][5], rtol=1e-5)


@pytest.mark.parametrize("n_columns", [3, 128])
def test_buddy_propagates_the_words_of_new_nodes(n_columns: int) -> None:
    """As they are, and as leading components: those of a copy of a node's words are the node's."""
    given = GRAPH.with_features(words())
    model = make("buddy", BUDGET | {"max_epochs": 6, "min_epochs": 6}).set_params(n_columns=n_columns).fit(given)
    grown = model.with_nodes(["new"], [("new", "3"), ("7", "new")], words()[5:6])
    hops = grown.state_["hops"]
    np.testing.assert_allclose(hops[N, 0], hops[5, 0], rtol=1e-3, atol=1e-5)
    degrees = grown.graph_.degrees + 1.0
    expected = hops[N, 0] / 3 + sum(hops[j, 0] / np.sqrt(3 * degrees[j]) for j in (3, 7))
    np.testing.assert_allclose(hops[N, 1], expected, rtol=1e-4, atol=1e-5)


def test_where_nothing_is_known_inputs_are_means_over_neighbours() -> None:
    graph = append_nodes(GRAPH, ["x", "y", "z"], [("x", "0"), ("x", "1"), ("y", "x"), ("z", "5")])
    rows = NewNodes(GRAPH, graph, N).inputs("auto").toarray()  # type: ignore[union-attr]
    expected = np.zeros((3, N))
    expected[:2, :2] = 0.5
    expected[2, 5] = 1
    assert np.array_equal(rows, np.concatenate([np.eye(N), expected]))


@pytest.mark.parametrize("scaling", ["auto", "rows", "standard", "none"])
@pytest.mark.parametrize("dense", [False, True])
def test_attributes_are_scaled_as_at_the_fit(scaling: str, dense: bool) -> None:
    known = words() if dense else sp.csr_array(words())
    given = GRAPH.with_features(known)
    # A negative number among the new ones must not change what "auto" meant, nor the smallest entry.
    more = np.concatenate([np.full((1, 8), -3.0), words()[:1], np.zeros((1, 8))])
    graph = append_nodes(given, ["x", "y", "z"], [("z", "0"), ("z", "2")], more)
    rows = NewNodes(given, graph, N).inputs(scaling)
    found = rows if isinstance(rows, np.ndarray) else rows.toarray()
    expected = pulink.nn.inputs.scale_features(known, scaling)
    expected = expected if isinstance(expected, np.ndarray) else expected.toarray()
    assert np.array_equal(found[:N], expected)
    np.testing.assert_allclose(found[N + 1], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found[N + 2], expected[[0, 2]].mean(axis=0), rtol=1e-6)


def test_new_nodes_may_know_each_other_only_by_attributes() -> None:
    model = fitted("gcn-ce", with_words=True)
    rows = np.zeros((2, 8))
    rows[:, 0] = 1
    grown = model.with_nodes(["a", "b"], [("a", "b")], sp.csr_array(rows))
    assert grown.graph_.has_edges(np.array([[N, N + 1]])).all()
    assert block_auroc(grown, N) > 0.8


def test_expected_graphs_grow_too() -> None:
    model = fitted("pull")
    grown = model.with_nodes(["new"], [("new", "3")])
    assert isinstance(model, pulink.PULL)
    assert isinstance(grown, pulink.PULL)
    assert grown.expected_graph_.n_edges == model.expected_graph_.n_edges + 1
    assert grown.expected_graph_.n_nodes == N + 1
    assert grown.expected_graph_.names[N] == "new"


def test_reasons_are_given_for_new_nodes() -> None:
    grown = fitted("pull-plus", with_words=True).with_nodes(["new"], [("new", "3"), ("7", "new")], words()[:1])
    target = grown.suggest("new", 1)["target"][0]
    reasons = facts(grown, [("new", target)])[0]
    assert set(reasons.common) <= {3, 7}
    assert reasons.signals


def test_weights_of_first_edges() -> None:
    weighted = replace(GRAPH, weights=np.linspace(1, 3, GRAPH.n_edges, dtype=np.float32))
    model = make("gcn-ce", BUDGET).fit(weighted)
    assert model.with_nodes(["new"], [("new", "3")]).graph_.weights is not None
    usual = model.with_nodes(["new"], [("new", "3")]).graph_
    given = model.with_nodes(["new"], [("new", "3")], weights=[9.0]).graph_
    for graph, weight in ((usual, 2.0), (given, 9.0)):
        assert graph.weights is not None
        assert graph.weights[(graph.edges[:, 1] == N)].tolist() == pytest.approx([weight], rel=1e-2)


@pytest.mark.parametrize(
    ("names", "edges", "features", "message"),
    [
        (["3"], [("3", "4")], None, "needs a new name: '3' is a node already"),
        (["x", "x"], [("x", "4")], None, "'x' occurs more than once"),
        ([], [], None, "names must be a list of names of new nodes"),
        ("x", [("x", "4")], None, "names must be a list of names of new nodes, got 'x'"),
        ([7], [("x", "4")], None, "must be texts, got 7"),
        (["x"], [("x", "40")], None, "no node is called '40'"),
        (["x"], [("0", "39"), ("x", "4")], None, "'0' - '39' has no new end.* learned by a fit"),
        (["x", "y"], [("x", "4"), ("y", "y")], None, "nothing is known of the new node 'y'"),
        (["x"], [("x", "4")], np.ones((1, 3)), "the nodes of the graph have none"),
    ],
)
def test_what_is_no_new_node_is_refused(names: object, edges: object, features: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fitted("gcn-ce").with_nodes(names, edges, features)


def test_features_of_another_shape_or_not_finite_are_refused() -> None:
    model = fitted("gcn-ce", with_words=True)
    with pytest.raises(InputError, match=r"must have the shape \(1, 8\), .* got \(2, 8\)"):
        model.with_nodes(["x"], [("x", "4")], np.ones((2, 8)))
    with pytest.raises(InputError, match="NaN or infinite"):
        model.with_nodes(["x"], [("x", "4")], np.full((1, 8), np.nan))


def test_known_edges_pass_and_an_unfitted_model_does_not() -> None:
    model = fitted("katz")
    known = tuple(str(end) for end in model.graph_.edges[0])
    grown = model.with_nodes(["x"], [known, ("x", "4")])
    assert grown.graph_.n_edges == model.graph_.n_edges + 1
    with pytest.raises(NotFittedError):
        pulink.PULL().with_nodes(["x"], [("x", "4")])


def test_a_method_that_cannot_names_some_that_can(tmp_path: Path) -> None:
    def own(n_columns: int, n_units: int, n_layers: int, seed: int) -> object:
        return pulink.nn.encoders.GCN(n_columns, n_units, n_layers, seed)

    model = pulink.PULL(encoder=own, n_epochs=2, max_iterations=1).fit(GRAPH)
    model.with_nodes(["x"], [("x", "4")]).save(tmp_path / "model")
    loaded = pulink.PULL.load(tmp_path / "model")
    assert loaded.graph_.n_nodes == N + 1
    with pytest.raises(
        InputError, match="not kept in a folder; pull, gcn-ce, pull-plus, buddy and the heuristics"
    ):
        loaded.with_nodes(["y"], [("y", "4")])
