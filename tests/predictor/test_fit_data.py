"""What `fit` takes instead of a Graph gives the same model to the bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pulink
from tests.support.planted import planted_graph
from tests.support.quick import BRIEF, make

GRAPH = planted_graph(14, 3, 0.8, 0.02, seed=0)
COLUMNS = {"source": GRAPH.edges[:, 0].tolist(), "target": GRAPH.edges[:, 1].tolist()}
FORMS = {
    "polars": pl.DataFrame(COLUMNS),
    "pandas": pd.DataFrame(COLUMNS),
    "array": GRAPH.edges.astype(np.int64),
    "list": [tuple(edge) for edge in GRAPH.edges.tolist()],
}


def files(name: str, data: Any, folder: Path) -> dict[str, bytes]:
    model = make(name, BRIEF).fit(data)
    model.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["pull", "pull-plus", "l3n"])
def test_every_form_of_the_edges_gives_the_same_model(name: str, tmp_path: Path) -> None:
    assert GRAPH.degrees.min() > 0, "a node without edges is in no frame"
    # A graph is told that lists give its nodes as whole numbers; frames tell it themselves.
    wanted = files(name, replace(GRAPH, id_types=("Int64", "Int64")), tmp_path / "graph")
    for form, data in FORMS.items():
        assert files(name, data, tmp_path / form) == wanted, form


def test_names_come_back_in_lists_of_links() -> None:
    named = [(f"n{i:02}", f"n{j:02}") for i, j in GRAPH.edges.tolist()]
    model, plain = (pulink.PULL(n_epochs=3, max_iterations=1).fit(own) for own in (named, GRAPH))
    assert model.embeddings_.tobytes() == plain.embeddings_.tobytes()
    found, wanted = model.missing_links(5), plain.missing_links(5)
    assert found["source"].to_list() == [f"n{int(node):02}" for node in wanted["source"]]


def test_lists_are_frames_of_the_library_that_came_in() -> None:
    model = pulink.PULL(n_epochs=3, max_iterations=1).fit(FORMS["pandas"])
    assert isinstance(model.missing_links(3), pd.DataFrame)
