"""What find leaves of a graph in parts: the same list, page and record as of the whole graph."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import numpy as np
import polars as pl
import pytest

import pulink
from pulink.errors import OutputError
from pulink.system import memory
from pulink.workflows.find import answer
from pulink.workflows.finding.request import FindRequest
from pulink.workflows.finding.result import FindResult
from pulink.workflows.formats.documents import schema
from pulink.workflows.link_query import LinkQuery
from pulink.workflows.sharded.answers import reading, result
from pulink.workflows.sharded.answers.result import ShardedFindResult
from tests.support.planted import planted_hubs
from tests.support.sharded_models import sharded_folder

N_LINKS = 30
REQUEST = FindRequest(
    None,
    query=LinkQuery(N_LINKS),
    method="pull",
    threads=1,
    settings={"max_iterations": 2, "n_epochs": 5, "n_splits": 1},
)


@pytest.fixture(scope="module")
def whole() -> FindResult:
    plain = planted_hubs(4, 116, 0.5, 0.04, seed=2)
    draws = np.random.default_rng(3)
    graph = pulink.Graph.from_edges(
        plain.edges,
        plain.n_nodes,
        weights=draws.random(plain.n_edges).astype(np.float32) + 0.5,
        names=sorted(["=1+1", "<b>", *(f"näme {k}" for k in range(plain.n_nodes - 2))], key=str.encode),
        features=(draws.random((plain.n_nodes, 9)) < 0.3).astype(np.float32),
        feature_names=tuple(f"colour=c{k}" for k in range(9)),
        ends=("drug", "target"),
    )
    found = answer(replace(REQUEST, edges=graph))
    # Another method would have to be fitted to the whole graph.
    return replace(found, second=None)


@pytest.fixture
def parts(whole: FindResult, tmp_path: Path) -> ShardedFindResult:
    folder = tmp_path / "results" / "model"
    sharded_folder(whole.model, folder, n_links=N_LINKS)
    return ShardedFindResult.of(whole.request, folder)


def test_the_files_are_those_of_the_whole_graph(whole: FindResult, parts: ShardedFindResult) -> None:
    results = parts.parts.folder.path.parent
    whole.save(results.parent / "whole")
    parts.save(results)
    settle = whole.headline.settle
    assert bool(settle) == bool(parts.headline.settle)
    assert parts.headline == replace(whole.headline, settle=parts.headline.settle)
    for name in ("missing_links.csv", "run.json", "report.html"):
        expected = (results.parent / "whole" / name).read_text()
        if settle:
            for spoken in (str.lower, str.capitalize):
                expected = expected.replace(_first(settle, spoken), _first(parts.headline.settle, spoken))
        assert (results / name).read_text() == expected
    jsonschema_rs.Draft202012Validator(schema("run")).validate(json.loads((results / "run.json").read_text()))


def _first(words: str, spoken: object) -> str:
    return spoken(words[0]) + words[1:]  # type: ignore[operator]


def test_the_result_says_what_that_of_the_whole_graph_says(whole: FindResult, parts: ShardedFindResult) -> None:
    assert parts.found.equals(whole.found)
    assert parts.links.equals(whole.links)
    assert parts.explained.equals(whole.explained)
    assert parts.warnings == whole.warnings
    assert str(parts.searched) == str(whole.searched)
    assert parts.missing == whole.missing
    assert repr(parts) == repr(whole)
    assert parts.records() == whole.records()
    document = parts.document()
    jsonschema_rs.Draft202012Validator(schema("find")).validate(document)
    drawn = parts._repr_html_()
    assert drawn.replace(parts.headline.settle[1:], whole.headline.settle[1:]) == whole._repr_html_()


def test_reasons_are_given_as_long_as_they_are_cheap(
    whole: FindResult, parts: ShardedFindResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result, "_TOGETHER", 4)
    assert parts.reasons_of(parts.found) == whole.reasons
    assert parts.reasons_of(parts.found.head(5)) == whole.reasons[:5]
    n_read = parts.parts.around(parts.pairs[:4])[0].graph_.n_read  # type: ignore[attr-defined]
    monkeypatch.setattr(result, "_MOST_READ", n_read + int(parts._n_entries(parts.pairs[4:8])[-1]))
    some = parts.reasons_of(parts.found)
    assert some == [*whole.reasons[:8], *([[]] * (N_LINKS - 8))]
    monkeypatch.setattr(result, "_MOST_READ", 10**9)
    monkeypatch.setattr(result, "_ENTRIES_TOGETHER", 0)
    assert parts.reasons_of(parts.found) == whole.reasons
    monkeypatch.setattr(result, "_MOST_READ", 0)
    assert parts.reasons_of(parts.found) == [[]] * N_LINKS


def test_links_whose_surroundings_find_no_room_stand_without_reasons(
    whole: FindResult, parts: ShardedFindResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result, "_TOGETHER", 1)
    sizes = np.array([int(parts._n_entries(pair[None])[0]) for pair in parts.pairs])
    most = int(np.sort(sizes)[N_LINKS // 2])
    free = reading._BYTES_PER_ENTRY * most
    monkeypatch.setattr(memory, "available_bytes", lambda: free)
    expected = [why if size <= most else [] for why, size in zip(whole.reasons, sizes.tolist(), strict=True)]
    assert parts.reasons_of(parts.found) == expected
    assert [] in expected


def test_the_page_stands_without_the_rows_for_a_drawing(
    parts: ShardedFindResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "DRAWN", 0)
    parts.save(parts.parts.folder.path.parent)
    page = (parts.parts.folder.path.parent / "report.html").read_text()
    for name in parts.found["source"].head(5):
        assert name.replace("<", "&lt;").replace(">", "&gt;") in page


def test_a_list_may_be_empty(whole: FindResult, tmp_path: Path) -> None:
    folder = tmp_path / "results" / "model"
    sharded_folder(whole.model, folder, n_links=0)
    found = ShardedFindResult.of(whole.request, folder)
    found.save(folder.parent)
    assert found.found.equals(whole.found.clear())
    written = pl.read_csv(folder.parent / "missing_links.csv")
    assert written.height == 0
    assert written.columns[:3] == ["rank", "drug", "target"]


def test_files_are_written_beside_the_model_alone(parts: ShardedFindResult, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="stays where it was trained"):
        parts.save(tmp_path / "elsewhere")
