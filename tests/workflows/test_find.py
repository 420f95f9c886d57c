"""pulink.find: one answer whatever the edges come as, the files of the command, and not a word on the screen."""

from __future__ import annotations

import contextlib
import inspect
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

import pulink
from pulink.calibration.missing_links import MissingLinks
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, OutputError, ParameterError, PulinkError, UnknownNameError
from pulink.predictor.link_lists import COLUMNS
from pulink.system.folder_lock import locked
from pulink.workflows.finding.request import FindRequest
from pulink.workflows.finding.result import FindResult
from tests.support.command import call
from tests.support.planted import planted_graph
from tests.support.pyg import Data

GRAPH = planted_graph(30, 2, 0.3, 0.02, seed=0)
ROWS = GRAPH.edges.tolist()
BRIEF: dict[str, Any] = {"method": "gcn-ce", "max_epochs": 20, "n_splits": 1, "top": 7, "threads": 1}


def pyg_graph() -> Data:
    both = np.concatenate([GRAPH.edges, GRAPH.edges[:, ::-1]]).T.astype(np.int64)
    return Data(edge_index=torch.from_numpy(np.ascontiguousarray(both)), num_nodes=GRAPH.n_nodes)


def networkx_graph() -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(GRAPH.n_nodes))
    graph.add_edges_from(ROWS)
    return graph


def csv_file(folder: Path) -> str:
    path = folder / "edges.csv"
    path.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in ROWS))
    return str(path)


# Too few edges to judge by.
PATH = [(f"n{k}", f"n{k + 1}") for k in range(12)]

WAYS: dict[str, Callable[[Path], Any]] = {
    "file": csv_file,
    "path": lambda folder: Path(csv_file(folder)),
    "polars": lambda _: pl.DataFrame(GRAPH.edges, schema=["from", "to"]),
    "pandas": lambda _: pd.DataFrame(ROWS, columns=["from", "to"]),
    "array": lambda _: GRAPH.edges,
    "list of numbers": lambda _: [tuple(row) for row in ROWS],
    "list of names": lambda _: [(str(a), str(b)) for a, b in ROWS],
    "array of names": lambda _: GRAPH.edges.astype(str),
    "graph": lambda _: GRAPH,
    "networkx": lambda _: networkx_graph(),
    "scipy": lambda _: pulink.to_scipy(GRAPH),
    "pyg": lambda _: pyg_graph(),
}


def rows_of(links: Any) -> list[tuple[Any, ...]]:
    """Nodes as texts: frames and arrays of numbers give numbers back."""
    found = zip(*(list(links[name]) for name in ("source", "target", "probability")), strict=True)
    return [(str(a), str(b), p) for a, b, p in found]


@pytest.fixture(scope="module")
def result() -> FindResult:
    return pulink.find(pl.DataFrame(GRAPH.edges, schema=["from", "to"]), **BRIEF)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_edges_give_the_same_links(way: str, result: FindResult, tmp_path: Path) -> None:
    found = pulink.find(WAYS[way](tmp_path), **BRIEF)
    assert isinstance(found.links, pd.DataFrame if way == "pandas" else pl.DataFrame)
    assert list(found.links.columns) == [*COLUMNS]
    assert rows_of(found.links) == rows_of(result.links)


@pytest.mark.parametrize("edges", [list(map(tuple, (GRAPH.edges + 1_000).tolist())), GRAPH.edges + 1_000])
def test_numbers_with_gaps_make_no_nodes(edges: Any, result: FindResult) -> None:
    found = pulink.find(edges, **BRIEF)
    assert found.graph.n_nodes == len(np.unique(GRAPH.edges))
    shifted = [(str(int(a) + 1_000), str(int(b) + 1_000), p) for a, b, p in rows_of(result.links)]
    assert rows_of(found.links) == shifted


def test_warnings_are_counted_where_a_result_is_printed() -> None:
    few = pulink.find(PATH, method="l3n", top=2)
    assert few.warnings
    assert repr(few).endswith("1 warning: see .warnings)")


@pytest.mark.parametrize("folder", ["", "  ", None, 3])
def test_a_result_is_saved_in_a_folder_with_a_name(folder: Any, result: FindResult) -> None:
    with pytest.raises(ParameterError, match="folder must be the name of a folder, got"):
        result.save(folder)


def test_a_notebook_says_why_a_list_is_empty() -> None:
    empty = pulink.find(PATH, method="l3n", fdr=0.01)
    assert empty.found.height == 0
    assert "No list can be expected to hold less than 1% false links" in empty._repr_html_()


def test_names_are_those_of_the_caller() -> None:
    named = [(f"gene {a}", f"gene {b}") for a, b in ROWS]
    frame = pl.DataFrame(named, schema=["source", "target"], orient="row")
    one, other = (pulink.find(edges, **BRIEF) for edges in (named, frame))
    assert rows_of(one.links) == rows_of(other.links)
    assert all(name.startswith("gene ") for row in rows_of(one.links) for name in row[:2])


def test_the_result_holds_what_a_reader_needs(result: FindResult) -> None:
    assert result.links.height == BRIEF["top"]
    assert isinstance(result.missing, MissingLinks)
    assert isinstance(result.model, pulink.GCNCE)
    assert result.graph.n_edges == GRAPH.n_edges
    assert "unconnected pairs" in str(result.searched)
    assert result.warnings == ()
    assert rows_of(result.model.missing_links(BRIEF["top"])) == rows_of(result.links)
    assert len(result.reasons) == result.explained.height == BRIEF["top"]
    assert repr(result).startswith("FindResult(7 links of a polars frame by gcn-ce; missing: about ")


def test_doubts_are_warnings() -> None:
    few = pulink.find([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")], method="l3n")
    assert few.missing is None
    assert any("could be hidden as a test" in words for words in few.warnings)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        (("--top", "7"), {"top": 7}),
        (("--per-node", "2", "--seed", "3"), {"per_node": 2, "seed": 3}),
        (
            ("--fdr", "0.9", "--missing-share", "0.6", "--min-probability", "0.25", "--raw-names"),
            {"fdr": 0.9, "missing_share": 0.6, "min_probability": 0.25},
        ),
    ],
)
def test_save_writes_the_files_of_the_command(
    typed: tuple[str, ...], asked: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "edges.csv").write_text("a;b\n" + "".join(f"{a};=n{b}\n" for a, b in ROWS))
    (tmp_path / "nodes.csv").write_text("id,size\n" + "".join(f"{a},{a % 7}\n" for a in range(60)))
    (tmp_path / "checked.csv").write_text(f"{ROWS[0][0]},=n{ROWS[0][0]}\n")
    given = ("--nodes", "nodes.csv", "--known-absent", "checked.csv", "--method", "gae", "--header")
    with contextlib.chdir(tmp_path):
        command = ("find", "edges.csv", *given, "--set", "gae.max_epochs=9", "--threads", "1", *typed)
        outcome = call(*command, "--out", "command")
        assert outcome.status == 0, outcome.err
        brief: dict[str, Any] = {"method": "gae", "max_epochs": 9, "threads": 1, "header": True}
        found = pulink.find("edges.csv", "nodes.csv", known_absent="checked.csv", **brief, **asked)
        found.save("python", raw_names="--raw-names" in typed)
    theirs, ours = files_in(tmp_path / "command"), files_in(tmp_path / "python")
    assert set(theirs) == set(ours) >= {"missing_links.csv", "report.html", "run.json", "model/manifest.json"}
    pages = [
        re.sub(r'<code id="command">.*?</code>', "", files.pop("report.html").decode()) for files in (theirs, ours)
    ]
    assert pages[0] == pages[1]
    assert [name for name in theirs if theirs[name] != ours[name]] == []


def test_the_page_says_how_to_call_it_again(tmp_path: Path) -> None:
    pulink.find(GRAPH.edges, **BRIEF, seed=4, min_probability=0.01).save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    call = re.search(r'<code id="command">(.*?)</code>', page)
    assert call is not None
    assert call[1].replace("&#x27;", "'") == (
        "pulink.find(edges, top=7, min_probability=0.01, method='gcn-ce', seed=4, threads=1, max_epochs=20, "
        "n_splits=1)"
    )


def test_a_file_is_named_in_the_call() -> None:
    request = FindRequest("my edges.csv", Path("nodes.csv"), reading=ReadOptions(kinds={"year": "category"}))
    assert request.call() == "pulink.find('my edges.csv', nodes='nodes.csv', kinds={'year': 'category'})"


def test_a_folder_that_is_in_use_or_not_ours_is_refused(result: FindResult, tmp_path: Path) -> None:
    with locked(tmp_path / "used"), pytest.raises(OutputError, match="is writing there"):
        result.save(tmp_path / "used")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match="which pulink did not write there"):
        result.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_notebook_shows_hostile_names_and_never_obeys_them() -> None:
    hostile = "<script>alert(1)</script>\u202e"
    named = [(f"n{a}", f"n{b}") for a, b in ROWS] + [(hostile, f"n{b}") for b in range(8)]
    found = pulink.find(named, method="l3n", min_probability=0.0, per_node=3)
    page = found._repr_html_()
    assert hostile in set(found.links["source"]) | set(found.links["target"])
    shown = pulink.find([(hostile, "a"), ("a", "b"), ("b", "c")], method="l3n")._repr_html_()
    for text in (page, shown):
        assert "<script" not in text
        assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<code>\\u202E</code>" in shown
    assert "<p>Warning: only 0 edges could be hidden as a test" in shown
    assert f"{found.links.height - 20:,} more in <code>.links</code>" in page
    assert "<p>Method l3n.</p><p>280 edges were hidden in 10 splits" in page


REFUSED: list[tuple[Any, dict[str, Any], type[PulinkError], str]] = [
    (5, {}, InputError, "edges must be a file, a dataset's name, .*got int"),
    ("nowhere", {}, InputError, "no such file, and no dataset of that name"),
    ([(1, 2, 3)], {}, InputError, r"an m x 2 array of node numbers, got shape \(1, 3\)"),
    ([("a", 1)], {}, InputError, "pairs of names or pairs of whole numbers, got names and 1"),
    ([("a", "")], {}, InputError, "the list of edges, row 1: target is empty"),
    ([], {}, InputError, "no rows, so no edges"),
    (np.zeros((3, 2)), {}, InputError, "whole node numbers, got float64"),
    ([(0, 1), (1, 2), (0, 2)], {}, InputError, "every pair of nodes is an edge or known to be no link"),
    (ROWS, {"fdr": 2}, ParameterError, "fdr must lie between 0 and 1, got 2"),
    (ROWS, {"top": 0}, ParameterError, "top must be a whole number from 1, got 0"),
    (ROWS, {"top": True}, ParameterError, "top must be a whole number from 1, got True"),
    (ROWS, {"min_probability": "x"}, ParameterError, r"min_probability must lie in \[0, 1\], got 'x'"),
    (ROWS, {"per_node": 2, "top": 3}, ParameterError, "per_node makes a list of its own"),
    (ROWS, {"method": "pul"}, UnknownNameError, "unknown method 'pul'. Did you mean 'pull'"),
    (ROWS, {"n_epoch": 3}, UnknownNameError, "unknown parameter of find 'n_epoch'. Did you mean 'n_epochs'"),
    (ROWS, {"missing_share": 2.0}, ParameterError, "missing_share must lie in"),
    (ROWS, {"method": "pull-ws", "selection": "top"}, ParameterError, "is what makes it pull-ws"),
    (ROWS, {"source": "from"}, ParameterError, "source does not go with a list of pairs"),
    (GRAPH, {"header": True}, ParameterError, "header does not go with a graph"),
    (ROWS, {"kinds": {"size": "text"}}, ParameterError, "kinds goes with a node table, and there is none"),
    ("sample", {"weight": "w"}, ParameterError, "^weight goes with a file; 'sample' is a dataset"),
]


@pytest.mark.parametrize(("edges", "asked", "kind", "message"), REFUSED)
def test_what_cannot_be_asked_is_refused_in_one_line_before_any_work(
    edges: Any, asked: dict[str, Any], kind: type[PulinkError], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[object] = []
    monkeypatch.setattr(pulink.PULLPlus, "_learn", lambda *_: worked.append(_))
    with pytest.raises(kind, match=message) as caught:
        pulink.find(edges, **asked)
    assert str(caught.value).count("\n") == 0
    assert worked == []


def test_logging_hears_it_and_the_screen_stays_empty(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    star = [("hub", f"leaf {k}") for k in range(300)]
    with caplog.at_level(logging.INFO, "pulink.workflows"):
        found = pulink.find(star, method="l3n", top=3)
    said = [(entry.levelname, entry.getMessage()) for entry in caplog.records if entry.name == "pulink.workflows"]
    assert said[0] == ("INFO", "read a list of pairs: 301 nodes, 300 edges, no node features")
    assert re.fullmatch(r"this will take about \d+ s of processor time and [\d.]+ [MG]B of memory", said[3][1])
    listed_once = "each link is listed once, the lower name first"
    assert said[1] == ("INFO", f'read as undirected: {listed_once}; kind="directed" if rows have a direction')
    assert ("WARNING", found.warnings[-1]) in said
    assert any("edges were hidden in 10 splits as a test: 0% of them rank among" in words for _, words in said)
    assert tuple(capfd.readouterr()) == ("", "")


def test_nothing_is_printed_where_nobody_listens() -> None:
    code = "import pulink; print(pulink.find([(0, 1), (1, 2), (2, 3)], method='l3n').warnings[0][:4])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("only\n", "")


@pytest.mark.slow
def test_find_stays_a_function_whatever_else_is_imported() -> None:
    code = "import pulink.workflows.find, pulink.cli.find, pulink.report.find, pulink; print(pulink.find.__name__)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "find\n"
    assert isinstance(pulink.find, FunctionType)


class Heard:
    """A listener that writes down what it hears."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self.steps: list[tuple[str, int, int]] = []
        self.n_restarts = 0

    def note(self, text: str) -> None:
        self.notes.append(text)

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def bar(self) -> contextlib.AbstractContextManager[Heard]:
        return contextlib.nullcontext(self)

    def show(self, description: str, done: int, total: int) -> None:
        self.steps.append((description, done, total))

    def restart(self) -> None:
        self.n_restarts += 1


def test_a_listener_hears_what_the_terminal_says(tmp_path: Path) -> None:
    path, heard = csv_file(tmp_path), Heard()
    found = pulink.find(path, **BRIEF, listener=heard)
    given = ("--set", "gcn-ce.max_epochs=20", "--set", "gcn-ce.n_splits=1", "--top", "7", "--threads", "1")
    outcome = call("find", path, "--method", "gcn-ce", *given)
    lines = outcome.err.splitlines()
    assert [*lines[:1], lines[2], *lines[4:-1]] == [*heard.notes[:1], heard.notes[2], *heard.notes[4:]]
    # A terminal has options, Python has keywords.
    assert lines[1].replace("--directed", 'kind="directed"') == heard.notes[1]
    # Memory is what the process holds, and more.
    ours, theirs = (words.partition(" and ")[0] for words in (lines[3], heard.notes[3]))
    assert ours == theirs
    assert ours.endswith(" s of processor time")
    assert outcome.err.splitlines()[-1].startswith(f"searched {found.searched}; ")
    assert heard.warnings == []
    assert heard.steps[0] == ("learning with some edges hidden", 0, 1)
    stages = {what.partition(",")[0] for what, _, _ in heard.steps}
    assert stages == {
        "learning with some edges hidden",
        "scoring other pairs",
        "training on every edge",
        "searching unconnected pairs",
    }
    assert heard.n_restarts == 4


def test_progress_and_checkpoints_are_those_of_fit(tmp_path: Path) -> None:
    seen: list[str] = []

    def stop(progress: Any) -> None:
        seen.append(progress.stage)
        if progress.stage == "refit":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pulink.find(GRAPH, **BRIEF, progress=stop, checkpoints=tmp_path)
    assert set(seen) == {"choose", "calibrate", "refit"}
    heard = Heard()
    again = pulink.find(GRAPH, **BRIEF, checkpoints=tmp_path, listener=heard)
    assert any(words.startswith("resuming a run that was stopped after") for words in heard.notes)
    assert rows_of(again.links) == rows_of(pulink.find(GRAPH, **BRIEF).links)
    other = Heard()
    pulink.find(GRAPH, **BRIEF | {"seed": 9}, checkpoints=tmp_path, listener=other)
    assert any("holds a run with other settings, data or version" in words for words in other.notes)


def test_a_bar_is_drawn_for_those_who_watch_only(capfd: pytest.CaptureFixture[str]) -> None:
    pulink.find(GRAPH, **BRIEF, progress=True)
    assert tuple(capfd.readouterr()) == ("", "")


def test_no_parameter_of_a_method_is_called_as_a_parameter_of_find() -> None:
    taken = set(inspect.signature(pulink.find).parameters) | set(vars(ReadOptions()))
    taken -= {"seed", "threads", "missing_share", "effort"}
    for entry in pulink.METHODS.values():
        shared = taken & set(entry.predictor.parameter_names())
        assert not shared, f"{entry.name}: rename {', '.join(shared)}, pulink.find means something else by it"


def test_the_record_is_run_json(result: FindResult, tmp_path: Path) -> None:
    result.save(tmp_path)
    assert json.loads((tmp_path / "run.json").read_text()) == json.loads(json.dumps(result.record()))
    assert result.record()["settings"]["edges"] == "a polars frame"


def test_what_the_command_spells_otherwise_is_named() -> None:
    for keywords, wanted in (
        ({"directed": True}, "write kind='directed'"),
        ({"set": {}}, "write the method's param"),
    ):
        with pytest.raises(TypeError, match=wanted):
            pulink.find(PATH, method="l3n", **keywords)


def test_a_folder_that_looks_like_a_file_is_not_made_unasked(tmp_path: Path) -> None:
    found = pulink.find(PATH, method="l3n")
    with pytest.raises(ParameterError, match=r"x.csv looks like a file: write\("):
        found.save(tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()
    found.save(f"{tmp_path}/x.csv/")
    assert (tmp_path / "x.csv" / "run.json").exists()
