"""pulink suggest and pulink explain on a folder that find wrote; find's lists and known non-links."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pulink.predictor.link_lists import COLUMNS
from pulink.system.folder_lock import locked
from tests.support.command import call

BRIEF = (
    "--method",
    "gcn-ce",
    "--set",
    "gcn-ce.max_epochs=30",
    "--set",
    "gcn-ce.n_splits=1",
    "--threads",
    "1",
    "--quiet",
)


@pytest.fixture(scope="module")
def folder(planted_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("found") / "out"
    assert call("find", str(planted_csv), "--out", str(out), *BRIEF).status == 0
    return out


def links(folder: Path) -> list[dict[str, str]]:
    with (folder / "missing_links.csv").open() as handle:
        return list(csv.DictReader(handle))


@pytest.mark.parametrize("inside", ["", "model"])
def test_a_node_gets_the_links_that_find_found_for_it(folder: Path, inside: str) -> None:
    best = links(folder)[0]
    node = best["source"]
    outcome = call("suggest", str(folder / inside), node, "--top", "3", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    found = json.loads(outcome.out)["links"]
    assert len(found) == 3
    assert found[0]["target"] == best["target"]
    assert found[0]["probability"] == float(best["probability"])
    assert found[0]["reason"] == best["reason"] == found[0]["reasons"][0]["text"]
    assert "; ".join(reason["text"] for reason in found[0]["reasons"]) == best["reasons"]
    lines = call("suggest", str(folder), node, "--top", "3").out.splitlines()
    assert lines[0].split("\t") == [*COLUMNS, "reason"]
    assert [line.split("\t")[2] for line in lines[1:]] == [own["target"] for own in found]


def test_a_pair_is_explained_by_facts_of_the_graph(folder: Path, planted_csv: Path) -> None:
    edges = {frozenset(line.split(",")) for line in planted_csv.read_text().split()[1:]}
    best = links(folder)[0]
    outcome = call("explain", str(folder), best["source"], best["target"], "--json")
    found = json.loads(outcome.out)
    assert found["known"] is None
    assert found["probability"] == float(best["probability"])
    assert "; ".join(reason["text"] for reason in found["reasons"]) == best["reasons"]
    assert found["reason"] == best["reason"]
    neighbours = found["common_neighbours"]
    assert neighbours
    for name in neighbours:
        assert {frozenset((name, best["source"])), frozenset((name, best["target"]))} <= edges
    for u, v in found["paths"]:
        assert {frozenset((best["source"], u)), frozenset((u, v)), frozenset((v, best["target"]))} <= edges


def test_what_is_known_already_is_said(folder: Path, planted_csv: Path) -> None:
    one, other = planted_csv.read_text().split()[1].split(",")
    outcome = call("explain", str(folder), one, other)
    assert outcome.status == 0
    assert "it is a link of the graph already" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("suggest", "{folder}", "nobody"), "no node is called 'nobody'"),
        (("explain", "{folder}", "nobody", "a"), "no node is called 'nobody'"),
        (("explain", "{folder}", "{node}", "{node}"), "a link needs two different nodes, got"),
        (("suggest", "{folder}/nowhere", "a"), "is not a model folder"),
    ],
)
def test_bad_input_gets_one_line(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    node = links(folder)[0]["source"]
    outcome = call(*(own.format(folder=folder, node=node) for own in arguments))
    assert outcome.status == 3
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_known_non_links_are_not_found_again(folder: Path, planted_csv: Path, tmp_path: Path) -> None:
    checked = {frozenset((row["source"], row["target"])) for row in links(folder)}
    out, file = tmp_path / "out", str(folder / "missing_links.csv")
    outcome = call("find", str(planted_csv), "--known-absent", file, "--out", str(out), *BRIEF)
    assert outcome.status == 0
    assert not checked & {frozenset((row["source"], row["target"])) for row in links(out)}
    run = json.loads((out / "run.json").read_text())
    assert run["graph"]["n_absent"] == len(checked) == 100
    assert run["settings"]["known_absent"] == file
    pair = links(folder)[0]
    told = json.loads(call("explain", str(out), pair["source"], pair["target"], "--json").out)
    assert (told["known"], told["probability"]) == ("no link", 0)


def test_a_pair_that_is_an_edge_and_known_to_be_none_is_refused(planted_csv: Path, tmp_path: Path) -> None:
    file = tmp_path / "absent.csv"
    file.write_text("\n".join(planted_csv.read_text().split()[:2]) + "\nx,y\n")
    outcome = call("find", str(planted_csv), "--known-absent", str(file), *BRIEF)
    assert outcome.status == 3
    assert "1 of the pairs that are no links is an edge of the graph" in outcome.err


def test_nodes_that_the_graph_does_not_have_are_counted(planted_csv: Path, tmp_path: Path) -> None:
    file = tmp_path / "absent.csv"
    file.write_text("source,target\nx,y\n")
    outcome = call("find", str(planted_csv), "--known-absent", str(file), *BRIEF, "--json")
    assert any("a node that the graph does not have" in own for own in json.loads(outcome.out)["graph"]["notes"])


def test_every_node_gets_its_links(planted_csv: Path) -> None:
    nodes = {name for line in planted_csv.read_text().split()[1:] for name in line.split(",")}
    outcome = call("find", str(planted_csv), "--per-node", "2", *BRIEF)
    rows = [line.split("\t") for line in outcome.out.splitlines()[1:]]
    assert outcome.status == 0
    assert {row[1] for row in rows} == nodes
    assert len(rows) == 2 * len(nodes)


def test_a_list_that_can_be_trusted_is_told_with_its_level(planted_csv: Path) -> None:
    given = (own for own in BRIEF if own != "--quiet")
    outcome = call("find", str(planted_csv), "--fdr", "0.9", "--missing-share", "0.6", *given)
    n_links = len(outcome.out.splitlines()) - 1
    assert n_links > 0
    assert f"{n_links:,} links, of which less than 90% are expected to be false" in outcome.err


def test_where_the_list_is_cut_by_probability_it_is_not_called_doubtful(planted_csv: Path) -> None:
    given = (own for own in BRIEF if own != "--quiet")
    outcome = call(
        "find", str(planted_csv), "--fdr", "0.9", "--missing-share", "0.6", "--min-probability", "1", *given
    )
    assert "no link with a probability of 1.0 or more is in a list with less than 90% false links" in outcome.err
    assert "no list surely" not in outcome.err


def test_the_report_of_a_list_by_node_counts_a_pair_once(planted_csv: Path, tmp_path: Path) -> None:
    outcome = call("find", str(planted_csv), "--per-node", "2", "--out", str(tmp_path / "out"), *BRIEF)
    rows = [row.split("\t")[1:3] for row in outcome.out.splitlines()[1:]]
    pairs = {frozenset(row) for row in rows}
    assert len(pairs) < len(rows)
    assert f"of the {len(pairs)} listed pairs" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--fdr", "1.5"), "--fdr must lie between 0 and 1"),
        (("--missing-share", "0.1", "--set", "pull-plus.missing_share=0.2"), "give one of them"),
        (("--per-node", "3", "--top", "5"), "--per-node makes a list of its own"),
        (("--per-node", "3", "--fdr", "0.1"), "--per-node makes a list of its own"),
    ],
)
def test_lists_that_exclude_each_other(planted_csv: Path, given: tuple[str, ...], message: str) -> None:
    outcome = call("find", str(planted_csv), *given)
    assert outcome.status == 2
    assert message in outcome.err


def test_a_folder_that_another_process_holds_is_refused_at_once(planted_csv: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "out"):
        outcome = call("find", str(planted_csv), "--out", str(tmp_path / "out"), *BRIEF)
        assert outcome.status == 5
        assert "is writing there; wait for it, or choose another" in outcome.err
    assert call("find", str(planted_csv), "--out", str(tmp_path / "out"), *BRIEF).status == 0
    assert ".pulink.lock" not in {path.name for path in (tmp_path / "out").iterdir()}


def test_a_newcomer_gets_links_from_its_first_edges(folder: Path, planted_csv: Path, tmp_path: Path) -> None:
    known = sorted({name for line in planted_csv.read_text().split()[1:] for name in line.split(",")})
    file = tmp_path / "first.csv"
    file.write_text(f"source,target\nnewcomer,{known[0]}\n{known[1]},newcomer\n")
    outcome = call("suggest", str(folder), "newcomer", "--new-edges", str(file), "--top", "100", "--json")
    assert outcome.status == 0
    found = [own["target"] for own in json.loads(outcome.out)["links"]]
    assert set(found) == set(known) - {known[0], known[1]}
    outcome = call("suggest", str(folder), "newcomer", "--new-nodes", str(file))
    assert outcome.status == 3
    assert "has no attributes" in outcome.err
    outcome = call("suggest", str(folder), "newcomer", "--new-edges", str(tmp_path / "nowhere.csv"))
    assert outcome.status == 3
