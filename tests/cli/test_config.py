"""--config: options from TOML, and a run once more from its run.json."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from torture.runs import content, write_edges

from pulink.cli.app import app
from pulink.workflows.find import find
from tests.support.command import call

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("PULINK_") and name != "PULINK_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def params(command: str, *words: str) -> dict[str, Any]:
    """What a command would be called with."""
    group = typer.main.get_command(app)
    parent = group.make_context("pulink", [command, *words])  # type: ignore[attr-defined]
    context = COMMANDS[command].make_context(command, list(words), parent=parent)
    return dict(context.params)


def config(text: str, name: str = "study.toml") -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name


def test_a_table_is_for_one_command_and_the_top_for_all() -> None:
    file = config('seed = 3\nquiet = true\n[find]\nedges = "e.csv"\ntop = 50\n[evaluate]\nseeds = 4\nseed = 9\n')
    found = params("find", "--config", file)
    assert (found["seed"], found["quiet"], found["edges"], found["top"]) == (3, True, "e.csv", 50)
    evaluated = params("evaluate", "x.csv", "--config", file)
    assert (evaluated["seed"], evaluated["seeds"], evaluated["edges"]) == (9, 4, "x.csv")


def test_what_is_typed_beats_the_environment_which_beats_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = config("[find]\ntop = 1\nseed = 1\nper_node = 1\n")
    monkeypatch.setenv("PULINK_TOP", "2")
    monkeypatch.setenv("PULINK_SEED", "2")
    found = params("find", "e.csv", "--top", "3", "--config", file)
    assert (found["top"], found["seed"], found["per_node"], found["method"]) == (3, 2, 1, "pull-plus")


def test_paths_are_from_the_folder_of_the_file_and_datasets_are_names() -> None:
    file = config(
        '[find]\nedges = "e.csv"\nnodes = "/n.csv"\nout = "o"\n[estimate]\nedges = "sample"\n', "a/c.toml"
    )
    found = params("find", "--config", file)
    assert (found["edges"], found["nodes"], found["out"]) == ("a/e.csv", Path("/n.csv"), "a/o")
    assert params("estimate", "--config", file)["edges"] == "sample"
    Path("a/sample").touch()
    assert params("estimate", "--config", file)["edges"] == "a/sample"


@pytest.mark.parametrize(
    "written",
    [
        "set.pull.n_epochs = 60\nset.pull.refit = false",
        '[find.set]\n"pull.n_epochs" = 60\n"pull.refit" = false',
        'set = ["pull.n_epochs=60", "pull.refit=false"]',
    ],
)
def test_parameters_of_methods_are_tables_or_lists(written: str) -> None:
    file = config(f"[find]\n{written}\n")
    assert params("find", "e.csv", "--config", file)["setting"] == ["pull.n_epochs=60", "pull.refit=false"]
    more = params("find", "e.csv", "--config", file, "--set", "pull.n_epochs=9")["setting"]
    assert more == ["pull.n_epochs=60", "pull.refit=false", "pull.n_epochs=9"]


def test_pairs_of_types_and_columns() -> None:
    file = config(
        "[find]\n"
        + 'between = [["a", "b"], ["a", "c"]]\nnode_type = "t"\nheader = false\n[find.column]\nyear = "category"\n'
    )
    found = params("find", "e.csv", "--config", file)
    assert found["between"] == ["a", "b", "a", "c"]
    assert found["kinds"] == ["year=category"]
    assert found["header"] is False
    typed = params("find", "e.csv", "--config", file, "--between", "b", "c", "--header")
    assert (typed["between"], typed["header"]) == (["b", "c"], True)


def test_a_typed_kind_of_graph_replaces_that_of_the_file() -> None:
    file = config("directed = true\nquiet = true\n")
    found = params("find", "e.csv", "--config", file, "--bipartite", "-v")
    assert (found["directed"], found["bipartite"], found["quiet"]) == (False, True, False)


def test_nodes_of_explain_are_not_columns_of_find() -> None:
    file = config('source = "citing"\n[explain]\nmodel = "m"\ntarget = "b"\n')
    assert params("find", "e.csv", "--config", file)["source"] == "citing"
    assert params("explain", "m", "a", "--config", file)["target"] == "b"
    assert params("explain", "m", "a", "--config", file)["source"] == "a"


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("sed = 1\n", 2, "unknown key in study.toml: 'sed'. Did you mean 'seed'? Known: "),
        ("[fnd]\ntop = 1\n", 2, "unknown key in study.toml: 'fnd'. Did you mean 'find'? Known: "),
        ("[find]\ntopp = 1\n", 2, "unknown key in study.toml: [find] 'topp'. Did you mean 'top'? Known: "),
        ('[find]\ntop = "many"\n', 2, "study.toml: [find] top should be a valid integer, got 'many'"),
        ("[find]\ntop = 0\n", 2, "study.toml: [find] top should be greater than or equal to 1, got '0'"),
        ("[find]\ntop = [1]\n", 2, "study.toml: [find] top takes one value, got [1]"),
        ("[find]\nquiet = 1\n", 2, "study.toml: [find] quiet must be true or false, got 1"),
        ('method = "l3m"\n', 2, "(given by study.toml: method)"),
        ('[find]\nnodes = "n.csv"\n', 3, "n.csv: no such file (given by study.toml: [find] nodes)"),
        ("top = \n", 3, "study.toml: is not TOML (Invalid value (at line 1, column 7))"),
        ("[find]\nconfig = 'x'\n", 2, "unknown key in study.toml: [find] 'config'."),
    ],
)
def test_a_mistake_in_a_file_is_one_line_with_its_place(
    folder: Path, text: str, status: int, message: str
) -> None:
    write_edges(folder)
    outcome = call("find", "edges.csv", "--config", config(text))
    assert outcome.status == status
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("none.toml", None, "none.toml: no such file"),
        ("a.json", b"{}", 'a.json: holds no "options"; a run.json that find wrote, or TOML, is needed'),
        ("a.json", b"[" * 100_000, "a.json: is not JSON ("),
        ("a.json", b'{"options": {"sed": 1}}', "unknown key in a.json: 'sed'. Did you mean 'seed'?"),
        ("a.toml", b"\xff\xfe", "a.toml: is not text in UTF-8"),
        ("a.toml", b"a = " + b"[" * 100_000, "a.toml: is not TOML ("),
    ],
)
def test_a_file_that_is_none_of_both_is_refused(folder: Path, name: str, data: bytes | None, message: str) -> None:
    if data is not None:
        (folder / name).write_bytes(data)
    outcome = call("find", "e.csv", "--config", name)
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.status in (2, 3)


def test_help_does_not_read_the_file() -> None:
    assert call("find", "--help", "--config", "none.toml").status == 0


def test_a_file_that_lies_about_is_not_read() -> None:
    config("[find]\ntop = 0\n", "pulink.toml")
    assert params("find", "e.csv")["top"] is None


def typed_graph(folder: Path) -> tuple[str, ...]:
    """Words of a find that gives as many options as one may."""
    drugs, proteins = [f"d{k}" for k in range(6)], [f"p{k}" for k in range(6)]
    rows = [f"{d};{p};{1 + k % 3}" for k, d in enumerate(drugs) for j, p in enumerate(proteins) if (k * j) % 3]
    (folder / "e.txt").write_text("drug;protein;w\n" + "\n".join(rows) + "\n")
    nodes = [
        f"{name},{kind},{k}" for kind, names in (("D", drugs), ("P", proteins)) for k, name in enumerate(names)
    ]
    (folder / "n.csv").write_text("name,kind,year\n" + "\n".join(nodes) + "\n")
    (folder / "absent.csv").write_text("source,target\nd0,p0\n")
    return (
        "find", "e.txt", "--nodes", "n.csv", "--node-id", "name", "--node-type", "kind", "--between", "D", "P",
        "--separator", ";", "--header", "--source", "drug", "--target", "protein", "--weight", "w",
        "--column", "year=category", "--known-absent", "absent.csv", "--method", "l3n", "--set", "l3n.n_splits=2",
        "--missing-share", "0.25", "--per-node", "2", "--min-probability", "0.001", "--seed", "5",
        "--threads", "2", "--raw-names",
    )  # fmt: skip


@pytest.mark.parametrize("make", ["typed", "plain"])
def test_a_run_comes_back_from_its_record(folder: Path, make: str) -> None:
    write_edges(folder)
    words = typed_graph(folder) if make == "typed" else ("find", "edges.csv", "--method", "l3n", "--undirected")
    first = call(*words, "--out", "out")
    assert first.status == 0, first.err
    before = content(folder)
    assert "out/run.json" in before or "run.json" in before
    again = call("find", "--config", "out/run.json", "--out", "out", "-q")
    assert again.status == 0, again.err
    assert content(folder) == before
    assert call("find", "--config", "out/run.json", "--out", "other").status == 0
    for file in sorted(Path("out").rglob("*")):
        if file.is_file():
            other = Path("other", file.relative_to("out")).read_bytes()
            assert other.replace(b"--out other", b"--out out") == file.read_bytes(), file


def test_every_option_of_find_is_in_the_record_but_those_that_do_not_change_it(folder: Path) -> None:
    write_edges(folder)
    assert call("find", "edges.csv", "--method", "l3n", "--out", "out").status == 0
    options = json.loads(Path("out/run.json").read_text())["options"]
    words = {"setting": "set", "kinds": "column"}
    every = {words.get(name, name) for name in params("find", "edges.csv")}
    assert every - options.keys() == {
        "out", "output", "as_format", "cluster", "quiet", "as_json", "config", "verbose",
    }  # fmt: skip
    assert options.keys() - every == set()
    assert options["edges"] == "edges.csv"
    assert options["threads"] >= 1
    assert (options["top"], options["min_probability"], options["seed"]) == (None, 0.0, 0)


def test_a_run_of_an_object_has_no_file_to_name(folder: Path) -> None:
    result = find([(f"a{k}", f"a{(k * 3 + 1) % 20}") for k in range(20)], method="l3n", missing_share=0.2)
    result.save("out")
    options = json.loads(Path("out/run.json").read_text())["options"]
    assert options["edges"] is None
    assert options["missing_share"] == 0.2
    outcome = call("find", "--config", "out/run.json")
    assert outcome.status == 2
    assert "Missing argument 'EDGES'" in outcome.err


def test_a_file_of_a_run_that_is_not_there_is_told_once() -> None:
    outcome = call("find", "--config", "nosuch/run.json")
    assert (outcome.status, outcome.err) == (3, "pulink: nosuch/run.json: no such file\n")


def test_a_run_whose_nodes_were_a_frame_is_not_repeated_without_them(planted_csv: Path, tmp_path: Path) -> None:
    edges = pl.read_csv(planted_csv, infer_schema=False).select(
        pl.nth(0).alias("source"), pl.nth(1).alias("target")
    )
    names = pl.concat([edges["source"], edges["target"].alias("source")]).unique().sort()
    nodes = pl.DataFrame({"id": names, "size": range(len(names))})
    find(edges, nodes=nodes, method="l3n").save(tmp_path / "out")
    record = str(tmp_path / "out" / "run.json")
    outcome = call("find", str(planted_csv), "--config", record)
    assert outcome.status == 2
    assert "the run had nodes (a polars frame) that no file names" in outcome.err
    nodes.write_csv(tmp_path / "nodes.csv")
    assert call("find", str(planted_csv), "--config", record, "--nodes", str(tmp_path / "nodes.csv")).status == 0
