"""What notebooks show, and in which frames lists are given."""

import pandas as pd
import polars as pl
import pytest

import pulink
from pulink.predictor.link_lists import COLUMNS
from tests.support.planted import planted_graph

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str]]:
    return [(f"n{i}", f"n{j}") for i, j in planted_graph(10, 2, 0.6, 0.1, seed=0).edges.tolist()] + [
        ("n0", HOSTILE)
    ]


@pytest.mark.parametrize("library", [pl, pd])
def test_lists_are_frames_of_the_library_that_came_in(library: object, rows: list[tuple[str, str]]) -> None:
    columns = {"source": [a for a, _ in rows], "target": [b for _, b in rows]}
    frame = pl.DataFrame(columns) if library is pl else pd.DataFrame(columns)
    model = pulink.PULL(n_epochs=3, max_iterations=1).fit(pulink.from_frame(frame))
    expected = pulink.PULL(n_epochs=3, max_iterations=1).fit(pulink.from_frame(pl.DataFrame(columns)))
    for found, wanted in (
        (model.missing_links(5), expected.missing_links(5)),
        (model.suggest("n1"), expected.suggest("n1")),
    ):
        assert isinstance(found, type(frame))
        assert list(found.columns) == [*COLUMNS]
        assert found["probability"].to_list() == wanted["probability"].to_list()
        assert found["target"].to_list() == wanted["target"].to_list()


def test_names_from_strangers_are_shown_not_run(rows: list[tuple[str, str]]) -> None:
    frame = pl.DataFrame({"source": [a for a, _ in rows], "target": [b for _, b in rows], HOSTILE: 1})
    graph = pulink.from_frame(frame)
    shown = graph._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert f"<td>{graph.n_edges}</td>" in shown


def test_a_model_shows_what_it_is(rows: list[tuple[str, str]]) -> None:
    model = pulink.PULL(n_epochs=3, max_iterations=1)
    assert "PULL, not fitted" in model._repr_html_()
    assert "<th>n_epochs</th><td>3</td>" in model._repr_html_()
    graph = pulink.from_frame(pl.DataFrame({"source": [a for a, _ in rows], "target": [b for _, b in rows]}))
    shown = model.fit(graph)._repr_html_()
    assert "AUROC on hidden edges" in shown
    assert str(model.estimate_missing()) in shown
