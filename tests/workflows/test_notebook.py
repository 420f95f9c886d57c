"""What notebooks show of results, and the bar of a fit, in a kernel of its own."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest

import pulink
from pulink.workflows.finding.result import FindResult

HOSTILE = "<script>alert(1)</script>"


def rows() -> list[tuple[str, str]]:
    edges = [(f"n{i}", f"n{j}") for i, j in nx.karate_club_graph().edges]
    return [(HOSTILE if a == "n5" else a, HOSTILE if b == "n5" else b) for a, b in edges]


def svg_of(html: str) -> ElementTree.Element:
    (text,) = re.findall(r'<svg class="network".*?</svg>', html, re.DOTALL)
    return ElementTree.fromstring(text)  # noqa: S314 (our own)


@pytest.fixture(scope="module")
def result() -> FindResult:
    return pulink.find(rows(), method="l3n", top=25, n_splits=1)


def test_a_result_shows_its_headline_its_list_and_its_drawing(result: FindResult) -> None:
    html = result._repr_html_()
    assert html.index("edges were hidden") < html.index("<table>") < html.index('<svg class="network"')
    assert html.count("<tr>") == 21
    assert "5 more in <code>.links</code>" in html
    assert "shared neighbour" in html
    drawn = svg_of(html)
    lines = [line.findtext("title") or "" for line in drawn.findall(".//g[@class='proposed']/path")]
    assert len(lines) == 25
    first = result.found.row(0, named=True)
    assert lines[-1].startswith(f"{first['source']} and {first['target']}: ")


def test_a_name_is_shown_and_not_run_and_nothing_is_loaded(result: FindResult) -> None:
    html = result._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html
    assert not re.search(r"https?:|url\(|@import|<link|<img|<iframe|javascript:|\son\w+=", html)
    assert any(HOSTILE in (title.text or "") for title in svg_of(html).iter("title"))


def test_two_outputs_of_one_notebook_do_not_meet(result: FindResult) -> None:
    """No ids at all, and every rule of the style begins inside the output."""
    html = result._repr_html_()
    assert not re.search(r'\s(id|for|href|aria-labelledby)="', html)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", style)
    assert len(selectors) > 10
    assert [own for own in selectors if not own.strip().startswith(".pulink")] == []


@pytest.mark.parametrize("kind", ["directed", "bipartite"])
def test_other_kinds_are_drawn_as_what_they_are(kind: str) -> None:
    pairs = [(f"a{i}", f"b{j}") for i in range(8) for j in range(8) if (i + j) % 3]
    html = pulink.find(pairs, method="l3n", top=5, kind=kind, n_splits=1)._repr_html_()
    marks = {mark.tag for mark in svg_of(html).findall(".//g[@class='nodes']/*")}
    assert marks == ({"circle"} if kind == "directed" else {"circle", "rect"})
    assert ("Arrows run from" in html) == (kind == "directed")


def test_a_list_without_links_has_no_drawing() -> None:
    html = pulink.find(rows(), method="l3n", min_probability=1.0, n_splits=1)._repr_html_()
    assert "<svg" not in html
    assert "<table>" in html


def test_an_estimate_shows_itself(result: FindResult) -> None:
    missing = result.missing
    assert missing is not None
    assert str(missing) in missing._repr_html_()


class _Browser:
    """What a notebook keeps of one output that is replaced in place."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.n_outputs = 0

    def display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> _Browser:
        self.n_outputs += 1
        self.shown.append(bundle["text/html"])
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        self.shown.append(bundle["text/html"])


def test_the_bar_is_one_output_that_is_empty_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display", reason="IPython is not installed")
    from pulink.predictor.fitting.notebook_bar import NotebookBar

    browser = _Browser()
    monkeypatch.setattr(display, "display", browser.display)
    bar = NotebookBar()
    bar.show("a <b>", 0, 4)
    bar.show("a <b>", 1, 4)  # too soon to be shown
    bar.show("done", 4, 4)
    bar.close()
    assert browser.n_outputs == 1
    first, last, empty = browser.shown
    assert 'value="0.0000"' in first
    assert "a &lt;b&gt;, 0%" in first
    assert "done, 100%" in last
    assert empty == ""


@pytest.mark.slow
def test_a_notebook_shows_results_and_one_bar_that_vanishes() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    cells = [
        f"import pulink\nrows = {rows()!r}",
        "quiet = pulink.find(rows, method='gcn-ce', top=5)",
        "loud = pulink.find(rows, method='gcn-ce', top=5, progress=True)",
        "loud",
        "loud.graph",
        "loud.model",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    updates: list[Any] = []

    class Client(nbclient.NotebookClient):  # type: ignore[misc,name-defined]
        def process_message(self, message: Any, cell: Any, index: int) -> Any:
            if message["msg_type"] == "update_display_data":
                updates.append(message["content"]["data"]["text/plain"])
            return super().process_message(message, cell, index)

    Client(notebook, timeout=300).execute()
    imported, silent, barred, found, graph, model = (cell.outputs for cell in notebook.cells)
    assert imported == silent == []
    (bar,) = barred
    assert bar["output_type"] == "display_data"
    assert bar["data"]["text/html"] == bar["data"]["text/plain"] == ""
    assert len(updates) >= 2
    assert updates[-1] == ""
    assert any("training on every edge" in words for words in updates)
    assert '<svg class="network"' in found[0]["data"]["text/html"]
    assert "<caption>Graph</caption>" in graph[0]["data"]["text/html"]
    assert "<caption>GCNCE</caption>" in model[0]["data"]["text/html"]
