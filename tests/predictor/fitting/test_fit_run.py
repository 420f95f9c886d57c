"""What one run of learning is given and returns."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import pulink
from pulink.calibration.pair_sample import PairSample
from pulink.errors import ParameterError
from pulink.persistence.checkpoints import NO_CHECKPOINTS
from pulink.predictor.fitting.fit_run import FitRun, Learned, Progress
from tests.support.planted import planted_graph

GRAPH = planted_graph(12, 2, 0.7, 0.1, seed=0)
BRIEF = {"n_epochs": 2, "max_iterations": 2, "n_splits": 1, "threads": 1}


def test_a_refit_has_the_budget_of_the_first_run_and_knows_what_it_learned() -> None:
    run = FitRun.choosing(lambda _: None, NO_CHECKPOINTS)
    assert (run.stage, run.budget, run.chosen) == ("choose", None, None)
    chosen = Learned(7, {})
    again = run.again(chosen)
    assert (again.stage, again.budget, again.chosen) == ("refit", 7, chosen)
    assert again.checkpoints is NO_CHECKPOINTS


def test_two_runs_together() -> None:
    first = Learned(7, {"z": np.zeros(1)}, 30, {"history_": [1], "scorer": "old"}, {"cache": "old"})
    second = Learned(3, {"z": np.ones(1)}, 12, {"scorer": "new"}, {"cache": "new"})
    both = first.refitted(second)
    assert (both.budget, both.n_steps) == (7, 42)
    assert both.state is second.state
    assert both.attributes == {"history_": [1], "scorer": "new"}
    assert both.cache == {"cache": "new"}


def test_a_refit_carries_nothing_that_it_does_not_need() -> None:
    sample = PairSample.of(GRAPH, GRAPH.edges[:0], GRAPH.edges[:0], 0)
    learned = Learned(1, {}, 1, {"n_iter_": 1}, {"large": 1}, (sample, np.zeros(len(sample.pairs))))
    lean = learned.without_cache()
    assert (lean.cache, lean.asked, lean.attributes) == ({}, None, {"n_iter_": 1})


def test_a_run_reports_its_stage() -> None:
    seen: list[Progress] = []
    FitRun.choosing(seen.append, NO_CHECKPOINTS).again(Learned(1, {})).report(3, 9, None, 0.5)
    assert seen == [Progress("refit", 3, 9, None, 0.5)]


@pytest.mark.parametrize("progress", ["yes", 1, [print]])
def test_progress_is_a_switch_or_a_function(progress: object) -> None:
    model = pulink.PULL(**BRIEF).fit(GRAPH)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="progress must be True, False, None or a function, got"):
        model.fit(GRAPH, progress=progress)  # type: ignore[arg-type]
    assert hasattr(model, "graph_"), "refused before the earlier fit was forgotten"


def test_a_fit_speaks_through_the_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "pulink"):
        model = pulink.PULL(**BRIEF).fit(GRAPH)  # type: ignore[arg-type]
    assert {record.name for record in caplog.records} == {"pulink"}
    n_hidden = GRAPH.n_edges // 10
    assert [record.getMessage() for record in caplog.records] == [
        f"PULL: fitting {GRAPH!r}",
        f"PULL: learning with {n_hidden} edges hidden",
        f"PULL: selected {model.training_summary_}, validation AUROC {model.best_val_auroc_:.4f}",
        "PULL: training on every edge",
        f"PULL: calibrated by {n_hidden} hidden edges",
        f"PULL: done after {model.n_steps_} gradient steps",
    ]


def test_progress_is_logged_for_those_who_look_closely(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Progress] = []
    with caplog.at_level(logging.DEBUG, "pulink"):
        pulink.PULL(**BRIEF).fit(GRAPH, progress=seen.append)  # type: ignore[arg-type]
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert len(lines) == len(seen) > 4
    assert lines[0] == "choose: 1 of 4, iteration 1, AUROC None"


def test_the_logger_is_silent_by_itself(capfd: pytest.CaptureFixture[str]) -> None:
    pulink.PULL(**BRIEF).fit(GRAPH)  # type: ignore[arg-type]
    assert any(isinstance(own, logging.NullHandler) for own in logging.getLogger("pulink").handlers)
    assert capfd.readouterr() == ("", "")
