"""The model of a graph in parts answers what the same model of the whole graph answers, to the last digit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.errors import InputError, ModelError, ParameterError, TooLargeError
from pulink.explanation.short_paths import strongest_paths
from pulink.persistence import sharded_model_reading
from pulink.predictor.predictor import LinkPredictor
from pulink.system import memory
from pulink.workflows.explain import explain
from pulink.workflows.sharded.answers import reading, rows
from pulink.workflows.sharded.answers.model import ShardedModel
from pulink.workflows.sharded.answers.reading import surroundings_of
from pulink.workflows.suggest import suggest
from tests.support.graph_folders import graph_folder
from tests.support.planted import planted_hubs
from tests.support.sharded_models import sharded_folder

MAKERS: dict[str, Any] = {
    "pull": lambda: pulink.PULL(max_iterations=2, n_epochs=5, threads=1, n_splits=1),
    "gcn-ce": lambda: pulink.GCNCE(max_epochs=10, min_epochs=5, threads=1, n_splits=1),
}


def a_graph(*, rich: bool) -> pulink.Graph:
    """Hubs and others; a rich one has names, weights, attributes, and columns that are called something else."""
    plain = planted_hubs(4, 116, 0.5, 0.04, seed=2)
    if not rich:
        return plain
    draws = np.random.default_rng(3)
    names = sorted((f"näme {k}" for k in range(plain.n_nodes - 1)), key=str.encode)
    return pulink.Graph.from_edges(
        plain.edges,
        plain.n_nodes,
        weights=draws.random(plain.n_edges).astype(np.float32) + 0.5,
        names=["=1+1", *names],
        features=(draws.random((plain.n_nodes, 9)) < 0.3).astype(np.float32),
        feature_names=tuple(f"colour=c{k}" for k in range(9)),
        ends=("drug", "target"),
    )


@pytest.fixture(scope="module", params=[("pull", True), ("pull", False), ("gcn-ce", True)], ids=str)
def fitted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LinkPredictor, Path]:
    method, rich = request.param
    model = MAKERS[method]().fit(a_graph(rich=rich))
    folder = tmp_path_factory.mktemp("parts") / "model"
    sharded_folder(model, folder)
    return model, folder


def some_pairs(graph: pulink.Graph, n_pairs: int) -> list[tuple[str, str]]:
    """Edges, and any pairs."""
    draws = np.random.default_rng(1)
    edges = graph.edges[draws.integers(0, graph.n_edges, n_pairs // 3)].tolist()
    others = [draws.choice(graph.n_nodes, 2, replace=False).tolist() for _ in range(n_pairs - len(edges))]
    return [(graph.names[i], graph.names[j]) for i, j in (*edges, *others)]


def test_pairs_are_explained_as_by_the_whole_graph(fitted: tuple[LinkPredictor, Path]) -> None:
    model, folder = fitted
    known = set()
    for one, other in some_pairs(model.graph_, 45):
        expected = explain(model, one, other)
        assert explain(folder, one, other).record() == expected.record()
        known |= {expected.known, *(reason.kind for reason in expected.reasons)}
    assert {"link", None, "common_neighbours", "path"} <= known
    assert ("shared_attributes" in known) == (model.graph_.features is not None)


@pytest.mark.parametrize("levels", [None, 2])
def test_suggestions_are_those_of_the_whole_graph_ties_included(
    fitted: tuple[LinkPredictor, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    levels: int | None,
) -> None:
    model, folder = fitted
    monkeypatch.setattr(sharded_model_reading, "_BLOCK", 11)
    if levels is not None:
        model = model.assuming(0.1)
        model.state_ = model.state_ | {"embeddings": np.round(model.state_["embeddings"][:, :2] * levels) / levels}
        folder = tmp_path / "model"
        sharded_folder(model, folder)
    for node in range(0, model.graph_.n_nodes, 13):
        name = model.graph_.names[node]
        assert suggest(folder, name, 8).document() == suggest(model, name, 8).document()
        least = suggest(model, name, 30).found["probability"][7]
        assert suggest(folder, name, 30, min_probability=least).found.equals(
            suggest(model, name, 30, min_probability=least).found
        )
    if levels is not None:
        assert suggest(model, model.graph_.names[0], 8).found["rank"].is_duplicated().any()


def test_a_list_may_be_longer_than_there_are_pairs_or_empty(fitted: tuple[LinkPredictor, Path]) -> None:
    model, folder = fitted
    name = model.graph_.names[0]
    assert suggest(folder, name, 1_000).found.equals(suggest(model, name, 1_000).found)
    assert suggest(folder, name, 0).found.equals(suggest(model, name, 0).found)


def test_the_outline_knows_counts_and_calibration_and_says_who_knows_more(
    fitted: tuple[LinkPredictor, Path],
) -> None:
    model, folder = fitted
    outline = ShardedModel.open(folder, verify=True).outline
    graph, whole = outline.graph_, model.graph_
    assert (graph.n_nodes, graph.n_edges, graph.n_features) == (whole.n_nodes, whole.n_edges, whole.n_features)
    assert graph.n_pairs == whole.n_pairs
    assert graph.names[5] == whole.names[5]
    assert graph.names[3:6] == whole.names[3:6]
    assert graph.names.series().to_list() == whole.names.series().to_list()
    assert outline.estimate_missing() == model.estimate_missing()
    assert outline.hidden_found() == model.hidden_found()
    assert outline.summary() == model.summary()
    assert outline.training_summary_ == model.training_summary_
    with pytest.raises(InputError, match=r"pulink\.suggest"):
        outline.suggest(0)
    with pytest.raises(InputError, match=r"pulink\.suggest"):
        pulink.explain(outline, np.array([[0, 1]]))


@pytest.mark.parametrize("most_read", [0, 3, 12, 40, 150, 1_000_000])
def test_rows_are_read_as_far_as_paths_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_read: int
) -> None:
    graph = planted_hubs(6, 200, 0.4, 0.01, seed=5)
    parts = graph_folder(graph, tmp_path, [0, 50, 51, graph.n_nodes])
    monkeypatch.setattr(rows, "MOST_READ", most_read)
    monkeypatch.setattr(rows, "_AT_FIRST", 1)
    draws = np.random.default_rng(most_read)
    n_edges = []
    for n_pairs in (1, 2, 9):
        pairs = np.array([draws.choice(graph.n_nodes, 2, replace=False) for _ in range(n_pairs)])
        avoided = np.full((n_pairs, 1), -1)
        expected = strongest_paths(graph.adjacency, pairs, avoided, 3, most_read)
        around = surroundings_of(parts, pairs, None)
        found = strongest_paths(
            around.adjacency, around.places(pairs), avoided, 3, most_read, degrees=around.degrees
        )
        assert [tuple(tuple(around.nodes[list(path)].tolist()) for path in paths) for paths in found] == expected
        np.testing.assert_array_equal(around.degrees, graph.degrees[around.nodes])
        n_edges.append(around.n_edges)
    assert n_edges[0] < graph.n_edges / 3


def test_edges_and_weights_around_a_pair_are_those_of_the_graph(tmp_path: Path) -> None:
    graph = a_graph(rich=True)
    parts = graph_folder(graph, tmp_path, [0, 60, graph.n_nodes])
    around = surroundings_of(parts, np.array([[7, 90]]), None)
    numbers = around.nodes[around.edges]
    assert graph.has_edges(numbers).all()
    places = np.searchsorted(graph.pair_space.codes(graph.edges), graph.pair_space.codes(numbers))
    assert graph.weights is not None
    assert around.weights is not None
    np.testing.assert_array_equal(around.weights, graph.weights[places])
    for node, place in zip((7, 90), around.places(np.array([7, 90])).tolist(), strict=True):
        np.testing.assert_array_equal(around.nodes[around.neighbours(place)], graph.neighbours(node))


def test_a_drawing_is_read_as_far_as_its_budget_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = planted_hubs(6, 200, 0.4, 0.01, seed=5)
    parts = graph_folder(graph, tmp_path, [0, graph.n_nodes])
    pairs = np.array([[0, 100], [1, 150], [2, 180]])
    whole = surroundings_of(parts, pairs, None, to_draw=True)
    monkeypatch.setattr(reading, "DRAWN", int(graph.degrees[pairs[0]].sum()))
    less = surroundings_of(parts, pairs, None, to_draw=True)
    assert less.n_edges < whole.n_edges
    assert set(np.unique(pairs).tolist()) <= set(less.nodes.tolist())
    np.testing.assert_array_equal(less.degrees, graph.degrees[less.nodes])


def test_without_room_a_pair_is_refused_before_its_rows_are_read(
    fitted: tuple[LinkPredictor, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ShardedModel.open(fitted[1])
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000)
    with pytest.raises(TooLargeError, match="the neighbours of these nodes needs about"):
        parts.around(np.array([[0, 1]]))


def test_nodes_go_by_names_and_by_numbers_that_cannot_be_names(tmp_path: Path) -> None:
    model = MAKERS["gcn-ce"]().fit(a_graph(rich=True))
    sharded_folder(model, tmp_path / "named")
    named = ShardedModel.open(tmp_path / "named")
    assert named.number("=1+1") == 0
    assert named.number(np.int64(7)) == 7
    for node in (-1, 120):
        with pytest.raises(InputError, match="must lie in 0"):
            named.number(node)
    for node in ("näme", None, 1.5, True):
        with pytest.raises(InputError):
            named.number(node)
    numbers = a_graph(rich=False)
    called = sorted((str(k + 1_000) for k in range(numbers.n_nodes)), key=str.encode)
    twin = pulink.Graph.from_edges(numbers.edges, numbers.n_nodes, names=called)
    sharded_folder(MAKERS["gcn-ce"]().fit(twin), tmp_path / "numbers")
    with pytest.raises(InputError, match="may mean the name or the number"):
        ShardedModel.open(tmp_path / "numbers").number(1_005)


def test_what_cannot_be_asked_is_refused_in_one_line(fitted: tuple[LinkPredictor, Path], tmp_path: Path) -> None:
    model, folder = fitted
    name = model.graph_.names[3]
    with pytest.raises(InputError, match="two different nodes"):
        explain(folder, name, name)
    for names in ((name, "nobody"), ("nobody", name)):
        with pytest.raises(InputError) as error:
            explain(folder, *names)
        with pytest.raises(InputError) as expected:
            explain(model, *names)
        assert str(error.value) == str(expected.value)
    with pytest.raises(ParameterError, match="in parts"):
        suggest(folder, name, new_edges=tmp_path / "new.csv")
    with pytest.raises(ParameterError, match="top"):
        suggest(folder, name, -1)
    with pytest.raises(ParameterError, match="min_probability"):
        suggest(folder, name, min_probability=2)


@pytest.mark.parametrize(
    "changes",
    [
        {"learned": {}},
        {"learned": {"n_iter": 1, "n_steps": 1, "stop_reason": "", "history": 5, "refit_history": []}},
        {"learned": {"n_iter": 1, "n_steps": 1, "stop_reason": "", "history": [5], "refit_history": []}},
        {"learned": {"n_iter": 1, "n_steps": 1, "stop_reason": "", "history": [{"n_entered": 10**30}]}},
        {"params": {"n_units": -1}},
        {"params": {"unheard": 1}},
        {"calibration": {}},
    ],
    ids=str,
)
def test_what_makes_no_model_is_refused_in_one_line(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Whoever changes a file can write its sum."""
    sharded_folder(MAKERS["pull"]().fit(a_graph(rich=False)), tmp_path)
    text = json.dumps(json.loads((tmp_path / "model.json").read_text()) | changes).encode()
    (tmp_path / "model.json").write_bytes(text)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["files"]["model.json"] = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    for ask in (lambda: explain(tmp_path, "0", "5"), lambda: suggest(tmp_path, "0")):
        with pytest.raises(ModelError) as error:
            ask()
        assert "\n" not in str(error.value)
