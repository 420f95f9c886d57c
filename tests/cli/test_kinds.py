"""Kinds of graphs on the command line: asked for, seen and told, and kept in every list."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from pulink.cli.parsing.pair_options import one_value_each
from tests.conftest import Write
from tests.support.command import call


@pytest.fixture
def bought(write: Write) -> Path:
    """40 users and 30 items, all called by numbers from 1 on."""
    draw = random.Random(0)  # noqa: S311
    rows = {(user, draw.randrange(1, 31)) for user in range(1, 41) for _ in range(6)}
    return write("bought.csv", "user,item\n" + "".join(f"{user},{item}\n" for user, item in sorted(rows)))


def test_two_sides_from_the_file_to_every_answer(bought: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = call("find", str(bought), "--method", "l3n", "--top", "5", "--out", str(out))
    assert outcome.status == 0, outcome.err
    said = outcome.err.splitlines()
    assert ": bipartite, 70 nodes, " in said[0]
    assert said[1] == (
        "read as bipartite: columns user and item name two kinds of nodes; "
        "--undirected if both columns hold nodes of one kind"
    )
    assert outcome.out.splitlines()[0].startswith("rank\tuser\titem\tprobability\t")
    assert (out / "missing_links.csv").read_text().startswith("rank,user,item,probability,score,")
    assert re.search(r'data-sort="source">.*user.*</th>', (out / "report.html").read_text())
    graph = json.loads((out / "run.json").read_text())["graph"]
    assert (graph["kind"], graph["ends"]) == ("bipartite", ["user", "item"])
    assert graph["kind_seen"] == "columns user and item name two kinds of nodes"
    assert (
        call("suggest", str(out), "1").err == "pulink: '1' names nodes of several types: write item:1 or user:1\n"
    )
    suggested = json.loads(call("suggest", str(out), "item:1", "--top", "3", "--json").out)["links"]
    assert {link["item"] for link in suggested} == {"1"} and "source" not in suggested[0]
    explained = json.loads(call("explain", str(out), "1", "2", "--json").out)
    assert (explained["user"], explained["item"]) == ("1", "2")
    refused = call("explain", str(out), "user:1", "user:2")
    assert (refused.status, refused.err.count("\n")) == (3, 1)


def test_every_first_end_has_its_own_list(bought: Path) -> None:
    outcome = call("find", str(bought), "--method", "l3n", "--per-node", "2", "--quiet")
    rows = [line.split("\t")[:3] for line in outcome.out.splitlines()[1:]]
    assert [user for _, user, _ in rows] == [str(user) for user in range(1, 41) for _ in range(2)]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--directed", "--bipartite"], "--directed and --bipartite contradict each other"),
        (["--directed", "--undirected"], "--directed and --undirected contradict each other"),
        (["--between", "user", "item"], "--between goes with --node-type"),
        (["--between", "user"], "--between takes two types"),
        (["--node-type", "side"], "--node-type goes with --nodes"),
        (["--node-type", "side", "--directed"], "--node-type does not go with --directed"),
        (["--time", "when"], "has no column 'when'"),
    ],
)
def test_what_contradicts_itself_is_refused_in_one_line(bought: Path, options: list[str], problem: str) -> None:
    outcome = call("estimate", str(bought), "--method", "l3n", *options)
    assert outcome.status == 2
    assert problem in outcome.err and outcome.err.count("\n") == 1


def test_a_kind_that_is_asked_for_is_not_explained(bought: Path) -> None:
    outcome = call("estimate", str(bought), "--method", "l3n", "--undirected")
    assert "read as" not in outcome.err
    assert ": 40 nodes, " in outcome.err.splitlines()[0]


def test_types_and_the_command_that_runs_it_again(write: Write, tmp_path: Path) -> None:
    drugs = [(f"d{k % 7}", f"p{k % 9}") for k in range(40)] + [(f"d{k}", "pain") for k in range(5)]
    edges = write("edges.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in drugs))
    kinds = {"d": "drug", "p": "protein"}
    names = sorted({name for row in drugs for name in row})
    cells = "".join(f"{name},{'symptom' if name == 'pain' else kinds[name[0]]}\n" for name in names)
    asked = ["--nodes", str(write("nodes.csv", "id,what\n" + cells)), "--node-type", "what"]
    out = tmp_path / "out"
    outcome = call(
        "find", str(edges), *asked, "--between", "drug", "protein", "--method", "l3n", "--out", str(out)
    )
    assert outcome.status == 0, outcome.err
    assert "typed, 17 nodes, 40 edges" in outcome.err
    rows = [line.split("\t")[1:3] for line in outcome.out.splitlines()[1:]]
    assert len(rows) == 7 * 9 - 40
    assert all(first[0] == "d" and second[0] == "p" and second != "pain" for first, second in rows)
    assert "--between drug protein" in (out / "report.html").read_text()


def test_the_words_of_pairs_are_taken_apart() -> None:
    words = [
        "find",
        "--between=a",
        "b",
        "--between",
        "c",
        "d",
        "--between",
        "--quiet",
        "--",
        "--between",
        "e",
        "f",
    ]
    assert one_value_each(words) == [
        "find", "--between=a", "--between", "b", "--between", "c", "--between", "d", "--between", "--quiet",
        "--", "--between", "e", "f",
    ]  # fmt: skip
