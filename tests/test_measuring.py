"""What is measured of graphs and splits of a kind: answers by hand, with scores that are made up."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink import Graph, Split, evaluate, measuring, metrics, split
from pulink.errors import InputError
from pulink.evaluation import Run, summarise
from pulink.measuring import ranked_side
from tests.support.command import call
from tests.support.planted import planted_graph

ALWAYS = [
    measure.name for measure in metrics.MEASURES if measure.always or measure.basis is metrics.Basis.TEST_PAIRS
]
NOTHING = np.empty((0, 2), dtype=np.int32)


class Scored:
    """Scores that are given by pair; a pair without any scores 0."""

    def __init__(self, scores: dict[tuple[int, int], float]) -> None:
        self.scores = scores
        self.n_asked = 0

    def decision_function(self, pairs: np.ndarray) -> np.ndarray:
        self.n_asked += len(pairs)
        return np.array([self.scores.get((int(i), int(j)), 0.0) for i, j in pairs])


def pairs(*rows: tuple[int, int]) -> np.ndarray:
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def test_the_order_of_an_edge_by_hand() -> None:
    edges, reverses = np.array([3.0, 1.0, 2.0, 2.0]), np.array([1.0, 3.0, 2.0, 0.0])
    assert metrics.order_right(edges, reverses) == (1 + 0 + 0.5 + 1) / 4
    assert math.isnan(metrics.order_right(edges[:0], reverses[:0]))


def test_recall_and_gain_of_ranked_lists_by_hand() -> None:
    # Links stand at ranks 1 and 3 of four; of the other node the only link is last.
    one = np.array([0.9, 0.5, 0.4, 0.1]), np.array([True, False, True, False])
    other = np.array([0.2, 0.8, 0.6]), np.array([True, False, False])
    assert metrics.recall_at(2, [one, other]) == (1 / 2 + 0) / 2
    assert metrics.recall_at(3, [one, other]) == (1 + 1) / 2
    best = 1 + 1 / math.log2(3)
    assert metrics.ndcg_at(3, [one]) == pytest.approx((1 + 1 / 2) / best)
    assert metrics.ndcg_at(3, [other]) == pytest.approx(1 / 2)
    assert metrics.ndcg_at(1, [one]) == 1.0
    assert metrics.ndcg_at(20, [one]) == metrics.ndcg_at(4, [one])
    assert math.isnan(metrics.ndcg_at(20, []))
    assert math.isnan(metrics.recall_at(20, []))


def test_tied_candidates_share_their_places() -> None:
    tied = np.zeros(4), np.array([True, False, False, False])
    assert metrics.recall_at(2, [tied]) == 0.5
    assert metrics.ndcg_at(1, [tied]) == 0.25


def test_one_way_edges_are_compared_with_their_reverses() -> None:
    # 0 -> 1 has its reverse in training, 2 -> 3 and 3 -> 2 are both hidden: one-way are 0 -> 2 and 3 -> 1.
    train = Graph.from_edges([[1, 0]], n_nodes=4, kind="directed")
    data = Split(train, pairs((3, 2)), NOTHING, pairs((0, 1), (2, 3), (0, 2), (3, 1)), NOTHING)
    model = Scored({(0, 2): 4.0, (2, 0): 3.0, (3, 1): 2.0, (1, 3): 2.0, (0, 1): 9.0})
    edges = model.decision_function(data.test_edges)
    found = measuring._of_directions(model, data, edges)  # type: ignore[arg-type]
    # Of 4 and 2 against 3 and 2: 4 is above both, 2 is below one and tied with the other.
    assert found == {"auroc_reversed": (2 + 0.5) / 4, "order_right": (1 + 0.5) / 2}


RATED = Graph.from_edges(
    [[0, 3], [1, 4]], 7, kind="bipartite", node_types=["user"] * 3 + ["item"] * 4, between=[("user", "item")]
)


def test_candidates_of_a_side_are_all_but_training_and_validation_edges() -> None:
    data = Split(RATED, pairs((0, 5)), NOTHING, pairs((0, 4), (1, 3), (1, 6)), NOTHING)
    model = Scored({(0, 4): 1.0, (0, 6): 2.0, (1, 3): 3.0})
    lists = ranked_side(model, data, seed=0)  # type: ignore[arg-type]
    assert [scores.tolist() for scores, _ in lists] == [[1.0, 2.0], [3.0, 0.0, 0.0]]
    assert [links.tolist() for _, links in lists] == [[True, False], [True, False, True]]
    assert metrics.recall_at(1, lists) == (0 + 1 / 2) / 2


def test_too_many_candidates_are_those_of_some_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_MOST_RANKED", 8)
    monkeypatch.setattr(measuring, "_RANKED_AT_ONCE", 4)
    data = Split(RATED, NOTHING, NOTHING, pairs((0, 4), (1, 3), (2, 6)), NOTHING)
    found = {len(ranked_side(Scored({}), data, seed)) for seed in range(9)}  # type: ignore[arg-type]
    assert found == {2}
    chosen = {sum(len(scores) for scores, _ in ranked_side(Scored({}), data, seed)) for seed in range(9)}  # type: ignore[arg-type]
    assert chosen == {6, 7}


def test_edges_whose_ends_have_a_past_are_told_apart() -> None:
    train = Graph.from_edges([[0, 1], [1, 2], [3, 4]], n_nodes=7, times=[1, 2, 3])
    data = Split(train, NOTHING, NOTHING, pairs((0, 2), (0, 5), (5, 6)), pairs((0, 3), (1, 4), (2, 6)), cut=4.0)
    model = Scored({(0, 2): 2.0, (0, 3): 1.0, (1, 4): 3.0, (2, 6): 9.0})
    found = measuring._of_past(model, data, model.decision_function(data.test_edges))  # type: ignore[arg-type]
    assert found == {"auroc_past": 0.5, "share_without_past": pytest.approx(2 / 3)}


def test_measures_of_some_graphs_are_asked_of_no_others() -> None:
    (run,) = evaluate(planted_graph(30, 2, 0.3, 0.02, seed=0), ["l3n"])
    assert [*run.measures] == ALWAYS
    assert {f"{name}_mean" for name in ALWAYS} == {key for key in summarise([run])[0] if key.endswith("_mean")} - {
        "seconds_mean",
        "cpu_seconds_mean",
    }


def timed_graph() -> Graph:
    graph = planted_graph(30, 2, 0.3, 0.02, seed=0)
    return Graph.from_edges(graph.edges, 70, times=np.random.default_rng(0).random(graph.n_edges))


def test_an_evaluation_by_time_has_one_split_for_all_seeds() -> None:
    graph = timed_graph()
    runs = evaluate(graph, ["l3n"], seeds=2, first_seed=3, split="time")
    assert [run.seed for run in runs] == [3, 4]
    assert runs[0].auroc == runs[1].auroc
    assert {*runs[0].measures} == {*ALWAYS, "auroc_past", "share_without_past"}
    data = split(graph, seed=3, by="time")
    model = pulink.L3N(missing_share=len(data.test_edges) / graph.n_edges).fit(data)
    assert runs[0].auroc == model.score(data)["auroc"]
    assert 0 <= runs[0].share_without_past < 1
    stored = runs[0].to_dict()
    assert Run.from_dict(json.loads(json.dumps(stored))).to_dict() == stored


def test_an_evaluation_by_time_needs_times() -> None:
    with pytest.raises(InputError, match="the edges have no times"):
        evaluate(planted_graph(30, 2, 0.3, 0.02, seed=0), ["l3n"], split="time")


def test_a_record_of_a_measure_that_no_run_has_is_refused() -> None:
    (run,) = evaluate(timed_graph(), ["l3n"], split="time")
    stored: dict[str, Any] = run.to_dict() | {"auroc_past": "high"}
    with pytest.raises(TypeError):
        Run.from_dict(stored)


def test_the_command_refuses_a_split_that_there_is_not(planted_csv: Path) -> None:
    answer = call("evaluate", str(planted_csv), "--method", "l3n", "--split", "tme", "--quiet")
    assert answer.status == 2
    assert "unknown way to split 'tme'. Did you mean 'time'?" in answer.err


def test_the_workflow_says_that_there_is_one_split(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from pulink.workflows.evaluate import evaluate as work

    with caplog.at_level("INFO", logger="pulink.workflows"):
        result = work(timed_graph(), methods=["l3n"], seeds=2, split="time")
    assert (
        "one split by time, the latest new edges hidden: seeds only change what methods start with" in caplog.text
    )
    record = result.record()
    assert record["split"] == "time"
    assert record["summary"][0]["share_without_past_mean"] == record["runs"][0]["share_without_past"]
    result.save(tmp_path / "out")
    page = (tmp_path / "out" / "evaluation.html").read_text()
    assert '<th scope="col">AUROC, known ends</th>' in page
    assert "hidden edges, the latest" in page
    assert "split" not in work(timed_graph(), methods=["l3n"]).record()
