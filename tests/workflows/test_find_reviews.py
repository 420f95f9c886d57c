"""find --reviews: accepted pairs are edges and never hidden, rejected ones no links, the number is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pulink
from pulink.errors import InputError, OutputError, ParameterError
from pulink.graph.graph import Graph
from pulink.persistence.ledger import LEDGER, LINK, NO_LINK, UNSURE
from pulink.predictor.fitting import split_fits
from pulink.workflows.review.session import open_review
from tests.support.command import call
from tests.support.planted import planted_graph

WHOLE = planted_graph(20, 4, 0.8, 0.01, seed=1)
GONE = np.arange(WHOLE.n_edges) % 10 == 0
KNOWN = WHOLE.keep_edges(~GONE)
L3N: dict[str, Any] = {"method": "l3n", "top": 5, "threads": 1}
PLUS: dict[str, Any] = {
    "method": "pull-plus", "n_folds": 2, "n_epochs": 3, "n_trees": 3, "max_rounds": 1, "n_splits": 2, "threads": 1,
}  # fmt: skip


def named(graph: Graph) -> list[tuple[str, str]]:
    return [(f"n{i}", f"n{j}") for i, j in graph.edges.tolist()]


def answered(folder: Path, count: int) -> Path:
    """Results with so many answers of an oracle, some of them unsure or disputed."""
    pulink.find(named(KNOWN), **L3N).save(folder)
    session = open_review(folder)
    true = {frozenset(pair) for pair in named(WHOLE)}
    for number in range(count):
        question = session.next_question("ada", controls=number % 2 == 0)
        assert question is not None
        said = LINK if frozenset((question.source, question.target)) in true else NO_LINK
        session.answer(question.id, "ada", said)
    for said in (UNSURE, LINK):
        question = session.next_question("ada")
        assert question is not None
        session.answer(question.id, "ada", said)
        if said == LINK:
            session.answer(question.id, "bob", NO_LINK)
    session.close()
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return answered(tmp_path_factory.mktemp("reviewed") / "results", 45)


def decided(results: Path, answer: str) -> set[frozenset[str]]:
    session = open_review(results, read_only=True)
    try:
        return {
            frozenset((d.question.source, d.question.target))
            for d in session.decisions()
            if d.answer == answer and d.question.kind != "control"
        }
    finally:
        session.close()


def as_names(graph: Graph, pairs: Any) -> set[frozenset[str]]:
    return {frozenset((graph.names[i], graph.names[j])) for i, j in ([] if pairs is None else pairs.tolist())}


def test_answers_become_edges_and_known_non_links(results: Path) -> None:
    found = pulink.find(named(KNOWN), reviews=results, **L3N)
    links, others = decided(results, LINK), decided(results, NO_LINK)
    assert len(links) > 5
    assert len(others) > 5
    assert as_names(found.graph, found.graph.accepted) == links
    assert as_names(found.graph, found.graph.absent) == others
    assert found.graph.n_edges == KNOWN.n_edges + len(links)
    listed = {frozenset(pair) for pair in found.found.select("source", "target").rows()}
    assert not listed & (links | others)


def test_the_ledger_the_folder_and_a_table_tell_the_same_pairs(results: Path, tmp_path: Path) -> None:
    rows = [(*sorted(pair), said) for said in (LINK, NO_LINK) for pair in decided(results, said)]
    table = pl.DataFrame(rows, schema=["source", "target", "answer"], orient="row")
    file = tmp_path / "reviews.csv"
    table.write_csv(file)
    graphs = [
        pulink.find(named(KNOWN), reviews=one, **L3N).graph for one in (results, results / LEDGER, file, table)
    ]
    for graph in graphs[1:]:
        assert np.array_equal(graph.edges, graphs[0].edges)
        assert np.array_equal(graph.absent, graphs[0].absent)
        assert np.array_equal(graph.accepted, graphs[0].accepted)


def test_the_number_of_the_review_is_kept(results: Path) -> None:
    session = open_review(results, read_only=True)
    best, n_answers = session.estimate().missing.best, session.drawn_answers().n_decided
    session.close()
    found = pulink.find(named(KNOWN), reviews=results, **L3N)
    told = found.reviews
    assert told is not None
    left = best - len(decided(results, LINK))
    assert told.number == pytest.approx(left)
    assert told.n_answers == n_answers >= 30
    assert found.missing is not None
    assert found.missing.best == pytest.approx(min(left, found.missing.bound))
    assert f"by {n_answers} answers of review" in found.headline.missing
    assert "you said" not in found.headline.missing
    assert found.headline.settle == ""
    assert found.record()["reviews"]["number"] == told.number
    json.dumps(found.record()["reviews"])


def test_the_number_of_another_graph_is_not_taken_over(results: Path) -> None:
    for edges, options in ((named(KNOWN)[:-5], {}), (named(KNOWN), {"kind": "directed"})):
        told = pulink.find(edges, reviews=results, **options, **L3N).reviews
        assert told is not None
        assert told.number is None
        assert "another graph" in told.words


def test_a_share_that_somebody_gives_comes_first(results: Path) -> None:
    found = pulink.find(named(KNOWN), reviews=results, missing_share=0.02, **L3N)
    assert found.model.missing_share == 0.02
    assert "as you said" in found.headline.missing


def test_few_answers_tell_no_number(tmp_path: Path) -> None:
    few = answered(tmp_path / "few", 12)
    found = pulink.find(named(KNOWN), reviews=few, **L3N)
    assert found.reviews is not None
    assert found.reviews.number is None
    assert "30 are needed" in found.reviews.words
    assert found.model.missing_share is None


def test_a_ledger_without_its_model_tells_pairs_only(results: Path, tmp_path: Path) -> None:
    alone = tmp_path / LEDGER
    alone.write_bytes((results / LEDGER).read_bytes())
    wal = results / f"{LEDGER}-wal"
    if wal.exists():
        (tmp_path / wal.name).write_bytes(wal.read_bytes())
    found = pulink.find(named(KNOWN), reviews=alone, **L3N)
    assert found.reviews is not None
    assert found.reviews.number is None
    assert found.graph.n_accepted == len(decided(results, LINK))


@pytest.mark.parametrize("settings", [L3N | {"n_splits": 3}, PLUS], ids=["l3n", "pull-plus"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_an_accepted_edge_is_never_hidden(
    results: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], seed: int
) -> None:
    hidden: list[Any] = []
    usual = split_fits.split_part

    def watched(*given: Any) -> pulink.Split:
        held = usual(*given)
        hidden.append(held)
        return held

    monkeypatch.setattr(split_fits, "split_part", watched)
    found = pulink.find(named(KNOWN), reviews=results, seed=seed, **settings)
    graph = found.graph
    assert graph.accepted is not None
    assert len(hidden) >= 2
    for held in hidden:
        assert not graph.pair_space.isin(held.hidden_edges, graph.accepted).any()
        assert held.train.n_accepted == graph.n_accepted
        assert held.train.has_edges(graph.accepted).all()
    calibrator = found.model._ready_calibrator()
    assert calibrator is not None
    assert calibrator.n_known == graph.n_recorded == KNOWN.n_edges


def test_without_reviews_nothing_is_written_of_them(results: Path) -> None:
    assert "reviews" not in json.loads((results / "run.json").read_text())
    model = pulink.load_model(results)
    assert model.graph_.accepted is None
    from pulink.persistence.stored_graph import graph_arrays

    assert "accepted" not in graph_arrays(model.graph_)


def test_a_model_folder_keeps_accepted_links(results: Path, tmp_path: Path) -> None:
    found = pulink.find(named(KNOWN), reviews=results, **L3N)
    found.save(tmp_path / "next")
    again = pulink.load_model(tmp_path / "next")
    assert np.array_equal(again.graph_.accepted, found.graph.accepted)
    assert not (tmp_path / "next" / LEDGER).exists()


def test_results_are_not_written_over_answers(results: Path) -> None:
    before = (results / "model" / "model.json").read_bytes()
    found = pulink.find(named(KNOWN), reviews=results, **L3N)
    with pytest.raises(OutputError, match=r"answers about the model there .* another folder"):
        found.save(results)
    assert (results / "model" / "model.json").read_bytes() == before


TABLES = {
    "no answers": ("source,target\nn0,n1\n", "has no column 'answer': add one that says link, no link or unsure"),
    "other word": ("source,target,answer\nn0,n1,maybe\n", "the answer is 'maybe'; it must be link"),
    "nothing decided": ("source,target,answer\nn0,n1,unsure\nn0,n2,\n", "no pair is answered with link"),
    "another graph": ("source,target,answer\nzed,n1,link\n", "of this graph, which has no node 'zed'"),
    "one node": ("source,target,answer\nn1,n1,link\n", "cannot be linked"),
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_tells_nothing_is_refused_in_one_line(tmp_path: Path, table: str) -> None:
    text, message = TABLES[table]
    file = tmp_path / "answers.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        pulink.find(named(KNOWN), reviews=file, **L3N)
    assert "\n" not in str(refused.value)


def test_what_else_is_wrong_is_told(tmp_path: Path) -> None:
    first, second = named(KNOWN)[0]
    i, j = next((i, j) for i in range(60) for j in range(i) if not WHOLE.has_edges(np.array([[i, j]]))[0])
    rows = [(first, second, "no link"), ("zed", "n1", "link"), (f"n{i}", f"n{j}", "yes")]
    rows += [("n1", "zed", "no link"), (f"n{j}", f"n{i}", "unsure")]
    frame = pl.DataFrame(rows, schema=["source", "target", "answer"], orient="row")
    found = pulink.find(named(KNOWN), reviews=frame, **L3N)
    notes = " | ".join(found.graph.cleaning.notes)
    assert (
        f"1 rejected pair stays an edge, because the edges hold it: the first is '{first}' - '{second}'" in notes
    )
    assert "2 answered pairs name a node that the graph does not have, the first is 'zed'" in notes
    assert found.graph.n_accepted == 1
    assert found.graph.n_absent == 0
    assert found.reviews is not None
    assert "tells no number of missing links" in found.reviews.words


def test_a_pair_that_is_accepted_and_known_to_be_none_is_refused() -> None:
    pair = ("n0", next(f"n{j}" for j in range(1, 60) if not WHOLE.has_edges(np.array([[0, j]]))[0]))
    frame = pl.DataFrame([(*pair, "link")], schema=["source", "target", "answer"], orient="row")
    with pytest.raises(InputError, match="is known to be no link, and stands among the accepted links"):
        pulink.find(named(KNOWN), reviews=frame, known_absent=[pair], **L3N)


def test_those_who_disagree_are_ignored() -> None:
    pair = ("n0", next(f"n{j}" for j in range(1, 60) if not WHOLE.has_edges(np.array([[0, j]]))[0]))
    rows = [(*pair, "link"), (*reversed(pair), "no link"), (*named(KNOWN)[3], "link")]
    frame = pl.DataFrame(rows, schema=["source", "target", "answer"], orient="row")
    found = pulink.find(named(KNOWN), reviews=frame, **L3N)
    assert found.reviews is not None
    assert found.reviews.pairs.n_open == 1
    assert found.graph.n_edges == KNOWN.n_edges
    assert found.graph.n_accepted == 1


def test_answers_are_read_by_the_names_of_the_ends_and_their_types() -> None:
    rows = [("1", "1"), ("1", "2"), ("2", "1"), ("3", "2"), ("3", "3"), ("2", "3")]
    graph = pulink.from_frame(pl.DataFrame(rows, schema=["user", "item"], orient="row"), kind="bipartite")
    answers = pl.DataFrame(
        [("3", "1", "link"), ("2", "2", "no link")], schema=["user", "item", "answer"], orient="row"
    )
    typed = pl.DataFrame(
        [("3", "1", "user", "item", "link"), ("2", "2", "user", "item", "no link")],
        schema=["source", "target", "source_type", "target_type", "answer"],
        orient="row",
    )
    for frame in (answers, typed):
        found = pulink.find(graph, reviews=frame, **L3N).graph
        assert as_names(found, found.accepted) == {frozenset(("3", "1"))}
        assert as_names(found, found.absent) == {frozenset(("2",))}


def test_something_else_is_no_review(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="reviews must be a results folder"):
        pulink.find(named(KNOWN), reviews=7, **L3N)
    with pytest.raises(InputError, match=r"holds no answers, review\.sqlite is missing"):
        pulink.find(named(KNOWN), reviews=tmp_path, **L3N)


def test_the_command_tells_what_it_learned(results: Path, tmp_path: Path) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in named(KNOWN)))
    asked = ("find", str(edges), "--method", "l3n", "--top", "3", "--threads", "1")
    outcome = call(*asked, "--reviews", str(results), "--out", str(tmp_path / "next"))
    assert outcome.status == 0, outcome.err
    assert "accepted pairs are edges" in outcome.err
    assert f"answers of review {results / LEDGER}: about " in outcome.err
    run = json.loads((tmp_path / "next" / "run.json").read_text())
    assert run["reviews"]["n_accepted"] == len(decided(results, LINK))
    over = call(*asked, "--out", str(results))
    assert over.status != 0
    assert "answers about the model there" in over.err
    gone = call(*asked, "--reviews", str(tmp_path / "nowhere.csv"))
    assert gone.status != 0
    assert "no such file" in gone.err
