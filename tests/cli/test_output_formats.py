"""One list in six formats: the same numbers in each, in a file or on standard output, and read back by others."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import networkx as nx
import polars as pl
import pytest

import pulink
from pulink.errors import OutputError, ParameterError
from pulink.predictor.link_lists import COLUMNS
from pulink.workflows import find as workflow
from pulink.workflows.finding.result import FindResult
from pulink.workflows.formats.choice import LINK_FORMATS
from tests.cli.test_console import Terminal, nobody_reads
from tests.support.command import COMMAND, Outcome, call

L3N = ("--method", "l3n", "--threads", "1", "--quiet")
ALL = [*COLUMNS, "reason", "reasons"]
NUMBERS = ("rank", "probability", "score", "probability_low", "probability_high")
HOSTILE = [
    "=1+1",
    'a<b> & "c"',
    "it's",
    "two\nlines",
    "tab\there",
    "Zürich 東京 😀",
    "a,b;c",
    "&amp;",
    "]]>",
    "x y",
]

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def odd_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ring with chords of nodes whose names are hard to write."""
    path = tmp_path_factory.mktemp("odd") / "edges.parquet"
    n = len(HOSTILE)
    pairs = [(HOSTILE[k], HOSTILE[(k + step) % n]) for k in range(n) for step in (1, 3)]
    pl.DataFrame(pairs, schema=["source", "target"], orient="row").write_parquet(path)
    return path


def of_delimited(separator: str) -> Callable[[bytes], Rows]:
    def read(data: bytes) -> Rows:
        rows = csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=separator)
        return [typed(row) for row in rows]

    return read


def typed(row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: None if row.get(name) in ("", None) else float(row[name]) for name in NUMBERS}
    return row | numbers


def in_one_cell(rows: Rows) -> Rows:
    """Reasons of JSON as the other formats hold them."""
    return [row | {"reasons": "; ".join(reason["text"] for reason in row["reasons"])} for row in rows]


def of_graphml(data: bytes) -> Rows:
    graph = nx.read_graphml(io.BytesIO(data))
    return [typed({"source": a, "target": b} | values) for a, b, values in graph.edges(data=True)]


READERS: dict[str, Callable[[bytes], Rows]] = {
    "csv": of_delimited(","),
    "tsv": of_delimited("\t"),
    "json": lambda data: in_one_cell(json.loads(data)["links"]),
    "jsonl": lambda data: in_one_cell([json.loads(line) for line in data.decode().splitlines()]),
    "parquet": lambda data: pl.read_parquet(io.BytesIO(data)).to_dicts(),
    "graphml": of_graphml,
}


def in_order(rows: Rows, *, directed: bool = False) -> list[tuple[Any, ...]]:
    """Rows that can be compared; an undirected link is the same from both ends."""
    found = []
    for row in rows:
        ends = [str(row["source"]), str(row["target"])]
        found.append((*(ends if directed else sorted(ends)), *(row[name] for name in (*NUMBERS, *ALL[-2:]))))
    return sorted(found)


def find(edges: Path, *words: str) -> Outcome:
    return call("find", str(edges), *L3N, "--top", "9", *words)


@contextlib.contextmanager
def standard_output(stream: Any) -> Iterator[None]:
    """Only what `main` writes goes there: pytest has its own."""
    with mock.patch.object(sys, "stdout", stream):
        yield


def sent(path: Path, *arguments: str) -> tuple[int | str | None, bytes]:
    """The exit status, and every byte of a standard output that is a file."""
    from pulink.cli.app import main

    with (
        path.open("w", encoding="utf-8") as stream,
        mock.patch.object(sys, "argv", ["pulink", *arguments]),
        standard_output(stream),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return ended.value.code, path.read_bytes()


@pytest.fixture(scope="module")
def result(planted_csv: Path) -> FindResult:
    return pulink.find(str(planted_csv), top=9, method="l3n", threads=1)


@pytest.fixture
def answered(result: FindResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command has its answer at once: what is tried is what it does with it."""
    monkeypatch.setattr(workflow, "answer", lambda *_, **__: result)


@pytest.mark.usefixtures("answered")
def test_every_format_holds_the_same_links_and_numbers(
    result: FindResult, planted_csv: Path, tmp_path: Path
) -> None:
    expected = in_order(result.explained.to_dicts())
    assert len(expected) == 9
    assert all(0 < row[3] < 1 for row in expected)
    for name in LINK_FORMATS:
        result.write(tmp_path / f"links.{name}")
        data = (tmp_path / f"links.{name}").read_bytes()
        assert in_order(READERS[name](data)) == expected, name
        # The command writes the same bytes into a file, and sends them to a pipe; JSON with its seconds.
        outcome = find(planted_csv, "-o", str(tmp_path / f"of_command.{name}"))
        assert (outcome.status, outcome.out) == (0, "")
        assert (tmp_path / f"of_command.{name}").read_bytes() == data
        status, piped = sent(tmp_path / "piped", "find", str(planted_csv), *L3N, "--top", "9", "--format", name)
        assert status == 0
        if name == "json":
            taken = json.loads(piped)
            assert taken.pop("seconds") >= 0
            assert taken == json.loads(data)
        else:
            assert piped == data


def test_python_refuses_what_the_command_refuses(result: FindResult, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"unknown format 'jsn'\. Did you mean 'json'"):
        result.write(tmp_path / "links.csv", "jsn")
    with pytest.raises(ParameterError, match=r"links.xlsx: its ending names no format; use .csv, "):
        result.write(tmp_path / "links.xlsx")
    with pytest.raises(OutputError, match="it is a folder, and a file is to be made"):
        result.write(tmp_path, "csv")
    assert [*tmp_path.iterdir()] == []
    result.write(str(tmp_path / "new" / "links"), "tsv")
    assert (tmp_path / "new" / "links").read_text().startswith("rank\tsource\ttarget\t")


def test_links_stand_in_the_order_of_their_ranks_in_every_format(result: FindResult, tmp_path: Path) -> None:
    pairs = [{row["source"], row["target"]} for row in result.found.to_dicts()]
    for name in set(LINK_FORMATS) - {"graphml"}:
        result.write(tmp_path / f"links.{name}")
        rows = READERS[name]((tmp_path / f"links.{name}").read_bytes())
        assert [{row["source"], row["target"]} for row in rows] == pairs
        assert list(rows[0]) == ALL


def test_hostile_names_come_back_from_every_format(odd_csv: Path, tmp_path: Path) -> None:
    result = pulink.find(odd_csv, top=9, method="l3n")
    expected = in_order(result.explained.to_dicts())
    names = {name for row in expected for name in row[:2]}
    assert len(names) == len(HOSTILE)
    for name in LINK_FORMATS:
        file = tmp_path / f"links.{name}"
        result.write(file, raw_names=True)
        assert in_order(READERS[name](file.read_bytes())) == expected, name
    for name in ("csv", "tsv", "parquet", "graphml"):
        file = tmp_path / f"guarded.{name}"
        result.write(file)
        assert set(pulink.read(file).names.series()) == names, name
    assert b'"\'=1+1"' in (tmp_path / "guarded.csv").read_bytes()
    assert b"'=1+1" not in (tmp_path / "links.csv").read_bytes()


def test_characters_that_xml_forbids_become_visible(tmp_path: Path) -> None:
    names = ["bell\a", "b", "c", "d\x00", "e"]
    edges = [(names[k], names[(k + 1) % 5]) for k in range(5)]
    pulink.find(edges, top=5, method="l3n").write(tmp_path / "links.graphml")
    assert set(nx.read_graphml(tmp_path / "links.graphml")) == {"bell\\x07", "b", "c", "d\\x00", "e"}


def test_the_ends_are_called_as_the_graph_calls_them_and_keep_their_direction(tmp_path: Path) -> None:
    file = tmp_path / "cites.csv"
    pairs = [(a, b) for a in range(12) for b in range(12) if a != b and (a * 5 + b * 3) % 7 < 2]
    file.write_text("citing,cited\n" + "".join(f"p{a},p{b}\n" for a, b in pairs))
    result = pulink.find(file, kind="directed", top=7, method="l3n", threads=1)
    expected = in_order(named(result.explained.to_dicts()), directed=True)
    for name in LINK_FORMATS:
        result.write(tmp_path / f"links.{name}")
        rows = READERS[name]((tmp_path / f"links.{name}").read_bytes())
        if name != "graphml":
            assert list(rows[0])[:3] == ["rank", "citing", "cited"], name
            rows = named(rows)
        assert in_order(rows, directed=True) == expected, name
    assert pulink.read(tmp_path / "links.graphml").is_directed


def named(rows: Rows) -> Rows:
    return [row | {"source": row["citing"], "target": row["cited"]} for row in rows]


def test_graphml_tells_two_nodes_of_one_name_apart_by_their_types(tmp_path: Path) -> None:
    file = tmp_path / "likes.csv"
    file.write_text("user,item\n" + "".join(f"{a},{b}\n" for a in range(6) for b in range(6) if (a + b) % 3))
    result = pulink.find(file, kind="bipartite", top=4, method="l3n")
    result.write(tmp_path / "links.graphml")
    graph = nx.read_graphml(tmp_path / "links.graphml")
    assert {values["type"] for _, values in graph.nodes(data=True)} == {"user", "item"}
    found = {frozenset(pair) for pair in graph.edges}
    twice = {str(a) for a, _ in result.found.select("source", "target").rows()} & {
        str(b) for _, b in result.found.select("source", "target").rows()
    }

    def called(kind: str, name: object) -> str:
        return f"{kind}:{name}" if str(name) in twice else str(name)

    assert twice
    assert found == {
        frozenset((called("user", a), called("item", b)))
        for a, b in result.found.select("source", "target").rows()
    }


def test_one_seed_gives_the_same_bytes_in_every_format(
    result: FindResult, planted_csv: Path, tmp_path: Path
) -> None:
    again = pulink.find(str(planted_csv), top=9, method="l3n", threads=1)
    for name in LINK_FORMATS:
        result.write(tmp_path / f"one.{name}")
        again.write(tmp_path / f"two.{name}")
        assert (tmp_path / f"one.{name}").read_bytes() == (tmp_path / f"two.{name}").read_bytes()
    # In another process, in which sets have another order.
    words = [COMMAND, "find", str(planted_csv), *L3N, "--top", "9", "-o", "three.json", "--seed", "0"]
    subprocess.run(words, cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": "7"}, check=True)
    assert (tmp_path / "three.json").read_bytes() == (tmp_path / "one.json").read_bytes()


@pytest.mark.usefixtures("answered")
def test_an_ending_chooses_the_format_and_an_option_wins(planted_csv: Path, tmp_path: Path) -> None:
    assert find(planted_csv, "-o", str(tmp_path / "links.csv.gz")).status == 0
    assert find(planted_csv, "-o", str(tmp_path / "links.csv")).status == 0
    assert gzip.decompress((tmp_path / "links.csv.gz").read_bytes()) == (tmp_path / "links.csv").read_bytes()
    assert find(planted_csv, "--output", str(tmp_path / "links.txt"), "--format", "jsonl").status == 0
    assert json.loads((tmp_path / "links.txt").read_text().splitlines()[0])["rank"] == 1
    plain, dash = find(planted_csv), find(planted_csv, "-o", "-")
    assert plain.out == dash.out
    assert plain.out.split("\n")[0].split("\t") == ALL[:-1]


@pytest.mark.usefixtures("answered")
def test_a_file_and_a_folder_may_be_asked_for_together(planted_csv: Path, tmp_path: Path) -> None:
    outcome = call(
        "find", str(planted_csv), *L3N[:-1], "--out", str(tmp_path / "out"), "-o", str(tmp_path / "links.csv")
    )
    assert outcome.status == 0
    assert outcome.err.endswith(f"written to {tmp_path / 'out'} and {tmp_path / 'links.csv'}\n")
    assert (tmp_path / "out" / "missing_links.csv").read_bytes() == (tmp_path / "links.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("-o {folder}", 5, "{folder}: it is a folder, and a file is to be made"),
        ("-o {edges}/links.csv", 5, "cannot write into {edges}: Not a directory"),
        (
            "-o links.xlsx",
            2,
            "links.xlsx: its ending names no format; use .csv, .tsv, .json, .jsonl, .parquet, .gra",
        ),
        ("-o {edges}", 2, "-o {edges} would replace a file that is read; name another"),
        ("-o links.parquet.gz", 2, "links.parquet.gz: parquet is packed already; leave out .gz"),
        ("-o links.csv/", 2, "-o writes one file, and links.csv/ is a folder; --out writes a folder"),
        ("--format xml", 2, "unknown format 'xml'. Known: csv, graphml, json, jsonl, parquet, tsv"),
        ("--format csv --json", 2, "--json and --format csv contradict each other: give one of them"),
        (
            "--out new.csv",
            2,
            "--out new.csv looks like a file: -o new.csv writes one file, --out new.csv/ a folder of that name",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(
    planted_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, status: int, message: str
) -> None:
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    before = planted_csv.read_bytes()
    given = [word.format(edges=planted_csv, folder=folder) for word in words.split()]
    outcome = call("find", str(planted_csv), "--method", "l3n", *given)
    assert outcome.status == status
    assert outcome.out == "" or "--json" in given
    assert outcome.err.count("\n") == 1
    assert message.format(edges=planted_csv, folder=folder) in outcome.err
    assert planted_csv.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.usefixtures("answered")
def test_a_file_is_replaced_a_link_stays_one_and_a_device_is_written_to(planted_csv: Path, tmp_path: Path) -> None:
    (tmp_path / "true.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("true.csv")
    assert find(planted_csv, "-o", str(tmp_path / "link.csv")).status == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "true.csv").read_text().startswith("rank,source,target")
    assert find(planted_csv, "-o", os.devnull, "--format", "csv").status == 0
    assert Path(os.devnull).is_char_device()
    if Path("/dev/full").exists():
        outcome = find(planted_csv, "-o", "/dev/full", "--format", "csv")
        assert (outcome.status, outcome.err) == (5, "pulink: cannot write /dev/full: No space left on device\n")


@pytest.mark.usefixtures("answered")
def test_a_slash_says_that_a_folder_is_meant(planted_csv: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert find(planted_csv, "--out", f"{tmp_path}/results.csv/").status == 0
    assert (tmp_path / "results.csv" / "run.json").is_file()
    # It is there now, and known for a folder without the slash.
    assert find(planted_csv, "--out", f"{tmp_path}/results.csv").status == 0
    assert "--out" in (page := (tmp_path / "results.csv" / "report.html").read_text())
    assert "results.csv" in page


class Answers(io.StringIO):
    """A person at a keyboard."""

    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize(("answer", "status"), [("f\n", 0), ("d\n", 0), ("\n", 2), ("", 2)])
def test_a_person_is_asked_whether_a_file_or_a_folder_is_meant(
    planted_csv: Path, tmp_path: Path, answer: str, status: int
) -> None:
    from pulink.cli.app import main

    target, err = tmp_path / "found.csv", Terminal()
    words = ["pulink", "find", str(planted_csv), *L3N, "--out", str(target)]
    with (
        mock.patch.object(sys, "argv", words),
        mock.patch.object(sys, "stdin", Answers(answer)),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    assert ended.value.code == status
    assert "found.csv looks like a file, and --out makes a folder. Write one file (f)" in err.getvalue()
    assert target.is_file() == (answer == "f\n")
    assert target.is_dir() == (answer == "d\n")


def test_a_terminal_gets_no_parquet_and_obeys_no_csv(tmp_path: Path) -> None:
    from pulink.cli.app import main

    file = tmp_path / "edges.parquet"
    names = ["\x1b[31mred", "\u202eevil", "c", "d", "e"]
    ends = {"source": names, "target": [*names[1:], names[0]]}
    pl.DataFrame(ends).write_parquet(file)
    shown = {}
    for name in LINK_FORMATS:
        words = ["pulink", "find", str(file), *L3N, "--format", name]
        out = Terminal()
        err = io.StringIO()
        with (
            mock.patch.object(sys, "argv", words),
            standard_output(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as ended,
        ):
            main()
        assert "\x1b" not in out.getvalue()
        assert "\u202e" not in out.getvalue()
        shown[name] = ended.value.code, out.getvalue(), err.getvalue()
    assert shown["parquet"] == (
        2, "", "pulink: a terminal cannot show parquet: write a file, for example -o links.parquet\n"
    )  # fmt: skip
    assert "\\x1b[31mred" in shown["csv"][1]
    assert json.loads(shown["json"][1])["n_links"] == 5


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize("name", [None, *LINK_FORMATS])
def test_a_reader_that_leaves_is_no_failure_in_any_format(planted_csv: Path, name: str | None) -> None:
    from pulink.cli.app import main

    words = ["pulink", "find", str(planted_csv), *L3N, *(() if name is None else ("--format", name))]
    err = io.StringIO()
    with (
        nobody_reads() as gone,
        os.fdopen(os.dup(gone), "w", encoding="utf-8") as stream,
        mock.patch.object(sys, "argv", words),
        standard_output(stream),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    assert (ended.value.code, err.getvalue()) == (0, "")


@pytest.mark.slow
def test_head_takes_one_line_of_a_real_pipe() -> None:
    line = f"{COMMAND} methods --format jsonl | head -1; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, check=True)
    first, status = ended.stdout.splitlines()
    assert json.loads(first)["name"] == "pull"
    assert (status, ended.stderr) == ("0", "")


def test_rows_of_other_commands_are_the_same_in_each_format(planted_csv: Path, tmp_path: Path) -> None:
    for command, key, words in (
        ("methods", "methods", []),
        ("datasets", "datasets", []),
        ("estimate", "methods", [str(planted_csv), "--method", "heuristics"]),
    ):
        whole = json.loads(call(command, *words, "--json", "-q").out)[key]
        lines = [json.loads(line) for line in call(command, *words, "--format", "jsonl", "-q").out.splitlines()]
        changing = {"memory_bytes", "cpu_seconds"}
        kept = [{k: v for k, v in row.items() if k not in changing} for row in whole]
        assert [{k: v for k, v in row.items() if k not in changing} for row in lines] == kept
        for name, separator in (("csv", ","), ("tsv", "\t")):
            file = tmp_path / f"{command}.{name}"
            assert call(command, *words, "-o", str(file)).err.endswith(f"written to {file}\n")
            with file.open(newline="") as handle:
                rows = list(csv.DictReader(handle, delimiter=separator))
            assert [list(row) for row in rows] == [list(row) for row in whole]
            for row, record in zip(rows, kept, strict=True):
                for field, value in record.items():
                    assert row[field] == in_a_cell(value), (command, field)


def in_a_cell(value: Any) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_links_of_a_node_and_runs_of_an_evaluation_have_formats_too(planted_csv: Path, tmp_path: Path) -> None:
    assert find(planted_csv, "--out", str(tmp_path / "out")).status == 0
    suggested = json.loads(call("suggest", str(tmp_path / "out"), "n3", "--json").out)["links"]
    for name in LINK_FORMATS:
        file = tmp_path / f"links.{name}"
        outcome = call("suggest", str(tmp_path / "out"), "n3", "-o", str(file))
        assert (outcome.status, outcome.out, outcome.err) == (0, "", f"written to {file}\n")
        assert in_order(READERS[name](file.read_bytes())) == in_order(in_one_cell(suggested)), name
    rows = call("evaluate", str(planted_csv), "--method", "l3n,jaccard", "--format", "csv", "-q").out.splitlines()
    assert rows[0].startswith("method,seed,auroc,auprc,")
    assert [row.split(",")[:2] for row in rows[1:]] == [['"l3n"', "0"], ['"jaccard"', "0"]]
    refused = call("evaluate", str(planted_csv), "--format", "graphml")
    assert refused.err == "pulink: graphml is for lists of links; here there are csv, tsv, json, jsonl\n"


@pytest.mark.parametrize(
    ("command", "head"),
    [
        ("find {edges} --method l3n", "rank\tsource\ttarget\tprobability"),
        ("suggest {out} n3", "rank\tsource\ttarget\tprobability"),
        ("explain {out} n3 n4", "about\twhat"),
        ("estimate {edges} --method l3n", "method\tmemory\tprocessor time\tfits"),
        ("evaluate {edges} --method l3n", "method\tAUROC\tAUPRC"),
        ("reproduce --status --results {out}/none", "experiment\tsource\tplanned"),
        ("methods", "name\tkinds\twhat it is"),
        ("datasets", "name\there\tnodes"),
        ("schema", "name\twhere it comes from"),
    ],
)
def test_data_are_on_stdout_and_the_rest_on_stderr(
    planted_csv: Path, finished: Path, command: str, head: str
) -> None:
    words = command.format(edges=planted_csv, out=finished).split()
    said = call(*words)
    assert said.status == 0
    assert said.out.startswith(head)
    lines = list(csv.reader(said.out.splitlines(), delimiter="\t"))
    assert {len(line) for line in lines} == {len(lines[0])}
    assert all(line not in said.out for line in said.err.splitlines())
    if words[0] != "schema":
        quiet = call(*words, "--quiet")
        assert quiet.err == ""
        assert words[0] in ("evaluate", "estimate") or quiet.out == said.out


@pytest.fixture(scope="module")
def finished(planted_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "out"
    assert find(planted_csv, "--out", str(folder)).status == 0
    return folder
