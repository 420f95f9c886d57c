"""pulink suggest and pulink explain by the model of a graph in parts; every other command says that these do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pulink
from pulink.graph.graph import Graph
from pulink.persistence.sharded_model import GRAPH, ModelSummary, seal_model, write_calibration, write_embeddings
from pulink.persistence.sharded_writing import Rows, seal, write_range
from tests.support.command import call
from tests.support.planted import planted_hubs
from tests.support.sharded_models import sharded_folder


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the same model as a whole, in `whole`, and in parts, in `model`."""
    folder = tmp_path_factory.mktemp("in_parts") / "results"
    model = pulink.PULL(max_iterations=1, n_epochs=5, threads=1, n_splits=1).fit(a_graph())
    sharded_folder(model, folder / "model")
    model.save(folder / "whole")
    (folder / "run.json").write_text("{}")
    return folder


def a_graph() -> Graph:
    plain = planted_hubs(4, 76, 0.5, 0.05, seed=2)
    names = sorted((f"node {k}" for k in range(plain.n_nodes)), key=str.encode)
    return Graph.from_edges(plain.edges, plain.n_nodes, names=names)


@pytest.mark.parametrize("place", ["", "model"])
@pytest.mark.parametrize("words", [(), ("--json",), ("--format", "graphml"), ("--format", "jsonl", "--top", "3")])
def test_suggest_answers_as_by_the_whole_model(results: Path, place: str, words: tuple[str, ...]) -> None:
    found = call("suggest", str(results / place), "node 17", *words)
    assert found == call("suggest", str(results / "whole"), "node 17", *words)
    assert found.status == 0
    assert "node 17" in found.out


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_explain_answers_as_by_the_whole_model(results: Path, words: tuple[str, ...]) -> None:
    found = call("explain", str(results), "node 17", "node 40", *words)
    assert found == call("explain", str(results / "whole"), "node 17", "node 40", *words)
    assert found.status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("review", "{}"),
        ("explore", "{}", "--port", "0"),
        ("find", "sample", "--method", "l3n", "--reviews", "{}"),
        ("suggest", "{}", "node 17", "--new-edges", "{}/run.json"),
        ("suggest", "{}", "nodo 17"),
        ("explain", "{}", "node 17", "node 17"),
    ],
)
def test_what_it_cannot_serve_is_refused_in_one_line(results: Path, words: tuple[str, ...]) -> None:
    outcome = call(*(word.format(results) for word in words))
    assert outcome.status in (2, 3, 5)
    assert outcome.out == ""
    (line,) = [line for line in outcome.err.splitlines() if not line.startswith("reading")]
    assert line.startswith("pulink: ")
    assert any(part in line for part in ("in parts", "did you mean 'node 17'", "two different nodes"))


_MEASURED = """
import sys
from pulink.system.memory import peak_bytes, reset_peak, resident_bytes
from pulink.workflows.explain import explain
from pulink.workflows.suggest import suggest

small, large = sys.argv[1:]
suggest(small, "node 17", 3), explain(small, "node 17", "node 40")
before = resident_bytes()
reset_peak()
found = suggest(large, "500000", 3).found
explain(large, "500000", "77")
print(peak_bytes() - before)
print(*found["target"])
"""


@pytest.mark.slow
def test_a_large_folder_is_never_in_memory(results: Path, tmp_path: Path) -> None:
    """A ring of two million nodes: 128 MB of embeddings and 48 MB of rows."""
    n_nodes, n_ranges = 2_000_000, 4
    nodes = np.arange(n_nodes)
    ring = np.sort(np.stack([(nodes - 1) % n_nodes, (nodes + 1) % n_nodes], axis=1), axis=1)
    bounds = [n_nodes * k // n_ranges for k in range(n_ranges + 1)]
    embeddings = np.random.default_rng(0).standard_normal((n_nodes, 16), dtype=np.float32)
    embeddings[[3, 1_999_999, 1_234_567]] = 100 * embeddings[500_000]
    files, graph_files = {}, {}
    for k in range(n_ranges):
        own = slice(bounds[k], bounds[k + 1])
        starts = 2 * np.arange(bounds[k + 1] - bounds[k] + 1)
        graph_files |= write_range(tmp_path / GRAPH, k, Rows(starts, ring[own].ravel()))
        files |= write_embeddings(tmp_path, k, embeddings[own])
    seal(tmp_path / GRAPH, graph_files, ranges=bounds, n_edges=n_nodes)
    model = pulink.load_model(results / "whole")
    plain, arrays = model._ready_calibrator().stored()  # type: ignore[union-attr]
    files |= write_calibration(tmp_path, arrays)
    learned = model._learned()[0] | {"n_steps": model.n_steps_}
    summary = ModelSummary("PULL", model.get_params(), learned, plain, tuple(bounds), 16, "all pairs", 0)
    seal_model(tmp_path, files, summary)
    command = [sys.executable, "-c", _MEASURED, str(results / "model"), str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()
    assert out[1] == "3 1234567 1999999"
    assert int(out[0]) < embeddings.nbytes / 4
