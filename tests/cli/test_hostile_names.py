"""Names that want to be more than names, through the whole command: a short form of `python -m torture.names`."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import chdir
from html import unescape
from pathlib import Path

import pytest
from torture.names import obeyed, run, write_graph
from torture.payloads import FORMULAS, PATHS, SCRIPTS, SPLIT, TERMINAL
from torture.spreadsheet import cells, ever_formulas, formulas

from pulink.system import parquet_guard

NAMES = (
    *SCRIPTS[:110:11],
    *FORMULAS[::5],
    *SPLIT[::2],
    *(f"'{name}" for name in FORMULAS[:3]),
    *(name for name in TERMINAL[::3] if "\0" not in name),
    *PATHS[:12:2],
)
METHOD = ("--method", "l3n", "--threads", "1", "--per-node", "2", "--quiet")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which `find` was run on a graph of such names, and which it runs in."""
    folder = tmp_path_factory.mktemp("names")
    edges, nodes = write_graph(NAMES, folder)
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        # Whether Parquet can be trusted is tested elsewhere, and takes a process each time.
        patch.setattr(parquet_guard, "_problem", lambda *_: None)
        for out, more in (("out", ()), ("raw", ("--raw-names",))):
            status, _, err = run("find", edges, "--nodes", nodes, "--out", out, *METHOD, *more)
            assert (status, err) == (0, "")
        yield folder


def rows(folder: Path) -> list[list[str]]:
    with (folder / "missing_links.csv").open(newline="") as handle:
        return list(csv.reader(handle))[1:]


def test_no_cell_is_a_formula_unless_raw_names_are_asked_for(home: Path) -> None:
    assert ever_formulas((home / "out" / "missing_links.csv").read_bytes()) == []
    raw = rows(home / "raw")
    assert {name for row in raw for name in row[1:3]} == set(NAMES)
    assert len(formulas((home / "raw" / "missing_links.csv").read_bytes())) > 10
    told = {name for name in NAMES if name.lstrip("'") in FORMULAS and not name.startswith("x")}
    assert {f"'{name}" for name in told} <= {name for row in rows(home / "out") for name in row[1:3]}


def test_a_pipe_gets_no_formulas_either(home: Path) -> None:
    status, out, _ = run("find", "edges.parquet", *METHOD)
    assert status == 0
    assert ever_formulas(out.encode()) == []
    _, out, _ = run("suggest", "out", "=1+1", "--top", "99")
    assert ever_formulas(out.encode()) == []
    _, out, _ = run("suggest", "out", "=1+1", "--top", "99", "--raw-names")
    assert formulas(out.encode(), "\t") != []


def test_json_has_the_names_as_they_are(home: Path) -> None:
    links = json.loads(run("find", "edges.parquet", *METHOD, "--json")[1])["links"]
    assert {link["source"] for link in links} == set(NAMES)


def test_the_list_marks_the_same_pairs_when_it_is_read_back(home: Path) -> None:
    status, out, err = run(
        "find", "edges.parquet", *METHOD[:-1], "--known-absent", "out/missing_links.csv", "--json"
    )
    assert status == 0
    strange = {name for name in NAMES if name != name.strip() or "\r" in name}
    written = {frozenset(row[:2]) for row in rows(home / "raw")}
    kept = {pair for pair in written if not pair & strange}
    assert len(kept) > 30
    found = {frozenset((link["source"], link["target"])) for link in json.loads(out)["links"]}
    assert not found & kept
    assert f"{json.loads(out)['graph']['n_absent']:,} pairs are known to be no links" in err


def test_a_page_holds_names_as_text_only(home: Path) -> None:
    page = (home / "out" / "report.html").read_text()
    assert (page.count("<script"), page.count("<style")) == (1, 1)
    tags = set(re.findall(r"<([a-zA-Z]+)", page))
    assert not tags & {
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "link",
        "foreignObject",
        "math",
        "input onfocus",
    }
    assert not re.findall(r"<[^>]*\son[a-z]+=", page)
    text = unescape(re.sub(r"<[^>]*>", "", page))
    for name in SCRIPTS[:110:11]:
        assert max(re.findall(r"[!-~]+", name), key=len) in text


@pytest.mark.parametrize("name", [*TERMINAL[:12:3], "[/unopened]", "$HOME/x"])
def test_a_terminal_gets_no_commands(home: Path, name: str) -> None:
    other = NAMES[0]
    for arguments in (("suggest", "out", name), ("explain", "out", name, other)):
        status, out, err = run(*arguments, terminal=True)
        assert status in (0, 3)
        assert obeyed(out + err) == ""
        assert "Traceback" not in err
    assert obeyed(run("suggest", "out", name, "--json", terminal=True)[1]) == ""


def test_names_never_become_files(home: Path) -> None:
    assert {path.name for path in home.iterdir()} == {"edges.parquet", "nodes.parquet", "out", "raw"}
    assert {path.name for path in (home / "out").iterdir()} == {
        "missing_links.csv",
        "model",
        "report.html",
        "run.json",
    }


def test_the_mimic_reads_as_a_spreadsheet_does() -> None:
    assert cells(b'\xef\xbb\xbfa,"b ""c"";d"\r\n;"e"f\tg') == ["a", 'b "c";d', "", "", "ef", "g"]
    assert formulas(b'=1,"=1", =1,-1,+1.5e3,-1-1,a=1,@x,"x\n=2",\'=1') == ["=1", "=1", " =1", "-1-1", "@x"]
