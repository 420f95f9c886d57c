"""pulink find: what it writes, what it prints, and that a seed decides both."""

from __future__ import annotations

import contextlib
import csv
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pulink.predictor.link_lists import COLUMNS
from tests.support.command import Outcome, call, run

TOP = 15
QUICK = ("--set", "pull-plus.n_epochs=20", "--set", "pull-plus.n_trees=40", "--set", "pull-plus.n_splits=1")
BRIEF = ("--method", "gcn-ce", "--set", "gcn-ce.max_epochs=30", "--set", "gcn-ce.n_splits=1")


@dataclass(frozen=True)
class FindPage:
    """A finished run and the folder that it wrote."""

    outcome: Outcome
    folder: Path


@pytest.fixture(scope="module")
def runs(planted_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> list[FindPage]:
    """The same command twice, in two folders: in a process of its own, and in this one."""
    theirs, ours = (tmp_path_factory.mktemp("run") for _ in range(2))
    for folder in (theirs, ours):
        shutil.copy(planted_csv, folder / "edges.csv")
    command = ("find", "edges.csv", "--top", str(TOP), "--seed", "3", "--threads", "1", "--out", "out", *QUICK)
    # This one first: it leaves kernels in the cache, or the other would tell that it compiles.
    with contextlib.chdir(ours):
        here = FindPage(call(*command), ours / "out")
    return [FindPage(run(*command, cwd=theirs), theirs / "out"), here]


@pytest.fixture(scope="module")
def found(runs: list[FindPage]) -> FindPage:
    return runs[0]


@pytest.fixture(scope="module")
def record(found: FindPage) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((found.folder / "run.json").read_text())
    return content


def links(folder: Path) -> list[dict[str, str]]:
    with (folder / "missing_links.csv").open() as handle:
        return list(csv.DictReader(handle))


def edges(path: Path) -> set[frozenset[str]]:
    return {frozenset(line.split(",")) for line in path.read_text().split()[1:]}


def test_it_ends_well_and_writes_these_files(found: FindPage) -> None:
    assert found.outcome.status == 0
    assert sorted(path.name for path in found.folder.iterdir()) == [
        "missing_links.csv",
        "model",
        "report.html",
        "run.json",
    ]
    assert {"manifest.json", "model.json", "tensors.safetensors"} <= {
        path.name for path in (found.folder / "model").iterdir()
    }


def test_links_are_new_pairs_of_known_nodes_best_first(found: FindPage, planted_csv: Path) -> None:
    rows = links(found.folder)
    assert list(rows[0]) == [*COLUMNS, "reason", "reasons"]
    assert all(row["reasons"].startswith(row["reason"]) for row in rows)
    assert len(rows) == TOP
    pairs = [frozenset((row["source"], row["target"])) for row in rows]
    known = edges(planted_csv)
    assert len(set(pairs)) == TOP
    assert not set(pairs) & known
    assert set().union(*pairs) <= set().union(*known)
    probabilities = [float(row["probability"]) for row in rows]
    assert probabilities == sorted(probabilities, reverse=True)
    assert all(0 <= p <= 1 for p in probabilities)


def test_every_common_neighbour_that_is_named_is_one(found: FindPage, planted_csv: Path) -> None:
    known, named = edges(planted_csv), 0
    for row in links(found.folder):
        told = row["reasons"].split("; ")
        for words in told:
            if "shared neighbour" in words:
                for name in re.findall(r'"([^"]+)"', words):
                    named += 1
                    assert {frozenset((name, row["source"])), frozenset((name, row["target"]))} <= known
    assert named > TOP


def test_the_page_shows_links_and_how_to_run_it_again(found: FindPage) -> None:
    page = (found.folder / "report.html").read_text()
    rows = links(found.folder)
    assert all(f">{row['source']}<" in page for row in rows)
    assert "pulink find edges.csv --top 15 --out out --set" in page
    assert "--seed 3 --threads 1" in page


def test_one_seed_gives_identical_files(runs: list[FindPage]) -> None:
    one, two = (
        {p.relative_to(r.folder): p.read_bytes() for p in r.folder.rglob("*") if p.is_file()} for r in runs
    )
    assert set(one) == set(two)
    assert [name for name in one if one[name] != two[name]] == []
    assert runs[0].outcome.out == runs[1].outcome.out


def test_the_record_says_what_was_done(record: dict[str, Any]) -> None:
    assert record["settings"]["edges"] == "edges.csv"
    assert record["settings"]["method"] == "pull-plus"
    assert record["settings"]["top"] == TOP
    assert record["settings"]["parameters"]["seed"] == 3
    assert {"pulink", "torch", "numpy", "python"} <= set(record["versions"])
    assert record["graph"]["n_nodes"] == 60
    assert record["n_links"] == TOP
    history = record["model"]["history"]
    assert [row["round"] for row in history] == list(range(len(history)))
    assert {"val_average_precision", "n_expected", "n_likely", "val_auroc"} <= set(history[0])
    assert 0 < record["model"]["recall"]["all"] <= 1
    assert record["missing"]["low"] <= record["missing"]["best"] <= record["missing"]["high"]


def test_who_knows_how_many_are_missing_says_so(planted_csv: Path) -> None:
    few, many = (
        json.loads(
            call("find", str(planted_csv), *BRIEF, "--missing-share", share, "--json", "--top", "9", "--quiet").out
        )
        for share in ("0.01", "0.3")
    )
    assert few["missing"]["best"] < many["missing"]["best"]
    assert few["settings"]["parameters"]["missing_share"] == 0.01
    sums = [sum(link["probability"] for link in own["links"]) for own in (few, many)]
    assert sums[0] < sums[1]


def test_pull_tells_its_outer_iterations(planted_csv: Path) -> None:
    brief = ("--method", "pull", "--set", "pull.n_epochs=5", "--top", "2")
    record = json.loads(call("find", str(planted_csv), *brief, "--json", "--quiet").out)
    history = record["model"]["history"]
    assert [row["iteration"] for row in history] == list(range(1, len(history) + 1))
    assert {"k", "loss_expected", "loss_correction", "val_auroc"} <= set(history[0])


def test_a_pipe_gets_the_links_and_nothing_else(found: FindPage) -> None:
    lines = [line.split("\t") for line in found.outcome.out.splitlines()]
    assert lines[0] == [*COLUMNS, "reason"]
    rows = list(csv.reader(found.outcome.out.splitlines(), delimiter="\t"))
    assert rows[1:] == [list(row.values())[:8] for row in links(found.folder)]
    assert "\x1b" not in found.outcome.out


def test_the_rest_is_said_on_stderr_without_bar_or_colour(found: FindPage) -> None:
    said = found.outcome.err.splitlines()
    assert said[0].startswith("read edges.csv: 60 nodes, ")
    assert re.fullmatch(r"read as undirected: .*; --directed if rows have a direction", said[1])
    assert said[2] == "seed 3, 1 thread"
    assert re.fullmatch(r"this will take about \d+ s of processor time and \d+ MB of memory", said[3])
    assert said[4].startswith("selected ")
    assert said[5].startswith("27 edges were hidden")
    assert "links are missing" in said[6]
    assert said[-1].startswith("searched all unconnected pairs")
    assert said[-1].endswith("written to out")
    assert "\x1b" not in found.outcome.err


def test_standard_input_json_and_quiet(planted_csv: Path) -> None:
    outcome = call("find", "-", "--top", "4", *BRIEF, "--json", "--quiet", stdin=planted_csv.read_bytes())
    assert outcome.status == 0
    assert outcome.err == ""
    content = json.loads(outcome.out)
    assert {"settings", "versions", "graph", "model", "n_links", "searched", "seconds", "links"} <= set(content)
    assert content["settings"]["edges"] == "-"
    assert [[*link] for link in content["links"]] == [[*COLUMNS, "reason", "reasons"]] * 4
    main = content["links"][0]["reasons"][0]
    assert [*main] == ["kind", "text", "nodes", "value"]
    assert content["links"][0]["reason"] == main["text"]


def test_links_below_a_probability_are_left_out(planted_csv: Path) -> None:
    outcome = call("find", str(planted_csv), *BRIEF, "--min-probability", "1")
    assert outcome.status == 0
    assert outcome.out == "\t".join([*COLUMNS, "reason"]) + "\n"
    assert "no unconnected pair reaches the probability that was asked for" in outcome.err


def test_a_second_run_replaces_the_first(found: FindPage, planted_csv: Path, tmp_path: Path) -> None:
    shutil.copytree(found.folder, tmp_path / "out")
    outcome = call("find", str(planted_csv), *BRIEF, "--top", "2", "--out", str(tmp_path / "out"))
    assert outcome.status == 0
    assert len(links(tmp_path / "out")) == 2
    assert json.loads((tmp_path / "out" / "run.json").read_text())["settings"]["method"] == "gcn-ce"


def test_what_a_method_does_not_look_at_is_told(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("from,to,often\na,b,2\nb,c,1\nc,d,1\nd,a,3\na,c,1\nd,e,1\n")
    (tmp_path / "nodes.csv").write_text("id,size\na,1\nb,2\nc,3\nd,4\ne,5\n")
    given = (str(tmp_path / "edges.csv"), "--weight", "often", "--nodes", str(tmp_path / "nodes.csv"))
    outcome = call("find", *given, "--method", "l3n")
    assert outcome.status == 0, outcome.err
    assert "this method uses edges only; weights and attributes are ignored" in outcome.err


def test_a_list_without_a_likely_pair_warns_of_itself(tmp_path: Path) -> None:
    star = tmp_path / "star.csv"
    star.write_text("".join(f"hub,leaf {k}\n" for k in range(120)))
    out = tmp_path / "found"
    outcome = call("find", str(star), "--method", "l3n", "--top", "3", "--out", str(out))
    warning = json.loads((out / "run.json").read_text())["warnings"][-1]
    assert warning.startswith("even the likeliest pair has a probability of only 0.")
    assert f"warning: {warning}" in outcome.err
    assert warning in (out / "report.html").read_text()
