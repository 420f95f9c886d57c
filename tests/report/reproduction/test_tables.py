"""Tables from made-up results whose best, second, inside and p are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pulink.experiments.spec import experiment as known_experiment
from pulink.report.reproduction.tables import Table, groups, make_table, reference
from tests.support.made_up_runs import Store, experiment


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """pull leads gcn-ce in all six seeds, gae in five of six; ness is the best; the control equals pull."""
    store = Store(tmp_path, experiment())
    store.put("pull", "sample", [97.0, 97.1, 97.2, 97.3, 97.4, 97.5])
    store.put("gcn-ce@pull", "sample", [97.0, 97.1, 97.2, 97.3, 97.4, 97.5])
    store.put("gcn-ce", "sample", [96.9, 96.9, 96.9, 96.9, 96.9, 96.9])
    store.put("gae", "sample", [97.1, 96.9, 96.8, 96.7, 96.6, 96.5])
    store.put("ness", "sample", [98.0, 99.0])
    return make_table(store.results, store.experiment)


def test_mean_spread_and_seeds(table: Table) -> None:
    score = table.scores["auroc"]["pull", "sample"]
    assert score.n == 6
    assert score.mean == pytest.approx(97.25)
    # Deviations 0.25, 0.15, 0.05 on both sides: 2 · 0.0875 over 5.
    assert score.sd == pytest.approx((0.175 / 5) ** 0.5)
    assert score.values[3] == pytest.approx(97.3)


def test_difference_to_the_paper(table: Table) -> None:
    pull = table.scores["auroc"]["pull", "sample"]
    assert pull.paper == (97.0, 0.4)
    assert pull.difference == pytest.approx(0.25)
    assert pull.inside is True
    # No spread of ours: 0.9 against 2 · 0.3.
    assert table.scores["auroc"]["gcn-ce", "sample"].inside is False
    assert table.scores["auroc"]["gae", "sample"].inside is None


def test_ranks_leave_controls_out(table: Table) -> None:
    ranks = {place[0]: score.rank for place, score in table.scores["auroc"].items() if place[1] == "sample"}
    assert ranks == {"ness": "best", "pull": "second", "gcn-ce": "", "gae": "", "gcn-ce@pull": ""}


def test_equal_means_as_printed_share_a_rank(tmp_path: Path) -> None:
    store = Store(tmp_path, experiment())
    store.put("pull", "sample", [97.251]).put("gae", "sample", [97.249]).put("ness", "sample", [90.0])
    scores = make_table(store.results, store.experiment).scores["auroc"]
    assert [scores[row, "sample"].rank for row in ("pull", "gae", "ness")] == ["best", "best", "second"]


def test_one_method_alone_is_not_ranked(tmp_path: Path) -> None:
    store = Store(tmp_path, experiment()).put("gae", "chameleon", [90.0])
    table = make_table(store.results, store.experiment)
    assert table.scores["auroc"]["gae", "chameleon"].rank == ""


def test_tests_are_paired_and_corrected_over_the_rivals(table: Table) -> None:
    against = {row: table.scores["auroc"][row, "sample"].against for row in table.experiment.rows}
    gcn, gae, control = against["gcn-ce"], against["gae"], against["gcn-ce@pull"]
    assert gcn is not None
    assert gae is not None
    assert control is not None
    # All six ahead: 2/64. Behind by the smallest rank, 0.1, alone: 4/64. Two rivals: times 2 and times 1.
    assert (gcn.n_ahead, gcn.p, gcn.p_holm) == (6, pytest.approx(2 / 64), pytest.approx(4 / 64))
    assert (gae.n_ahead, gae.p, gae.p_holm) == (5, pytest.approx(4 / 64), pytest.approx(4 / 64))
    assert (control.p, control.p_holm, control.lead) == (1.0, 1.0, 0.0)
    assert against["pull"] is None


def test_too_few_pairs_are_not_tested(table: Table) -> None:
    found = table.scores["auroc"]["ness", "sample"].against
    assert found is not None
    assert (found.n_pairs, found.n_ahead, found.p, found.p_holm) == (2, 0, None, None)


def test_cost_is_the_mean_of_seconds_and_the_peak_of_memory(table: Table) -> None:
    cell = table.cells["pull", "sample"]
    assert (cell.cost("cpu_seconds"), cell.cost("peak_mb"), cell.cost("n_steps")) == (12.5, 505.0, 800.0)
    assert table.cells["pull", "chameleon"].cost("cpu_seconds") is None


def test_failed_missing_and_not_run_are_different(tmp_path: Path) -> None:
    store = Store(tmp_path, experiment()).fail("ness", "sample", [0, 2], "no memory")
    table = make_table(store.results, store.experiment)
    assert table.cells["ness", "sample"].failed == {0: "no memory", 2: "no memory"}
    assert table.cells["gae", "sample"].failed == {}
    assert ("pull", "ogbn-arxiv") not in table.cells
    assert table.scores["auroc"]["pull", "ogbn-arxiv"].paper == (86.46, 0.04)


def test_a_score_that_a_run_does_not_have_is_left_out(tmp_path: Path) -> None:
    own = experiment(measures=["auroc", "precision_at_k"])
    store = Store(tmp_path, own).put("pull", "sample", [97.0, 98.0], precision_at_k=None)
    table = make_table(store.results, own)
    assert table.scores["precision_at_k"]["pull", "sample"].mean is None
    assert table.scores["auroc"]["pull", "sample"].n == 2


def test_seeds_may_be_fewer_than_planned(table: Table, tmp_path: Path) -> None:
    fewer = make_table(Store(tmp_path, experiment()).results, experiment(), seeds=2)
    assert fewer.scores["auroc"]["pull", "sample"].mean == pytest.approx(97.05)


def test_the_table_survives_json(table: Table) -> None:
    rows = json.loads(json.dumps(table.to_dict(), allow_nan=False))["rows"]
    (own,) = [row for row in rows if (row["method"], row["column"]) == ("gcn-ce", "sample")]
    assert own["tested_against"] == "pull"
    assert own["measures"]["auroc"]["paper"] == [96.0, 0.3]
    assert own["measures"]["auroc"]["n"] == 6


def test_pairs_are_ranked_by_themselves_without_a_second(tmp_path: Path) -> None:
    own = experiment(methods=["gae", "gae+pull", "vgae", "vgae+pull"], expected={})
    store = Store(tmp_path, own).put("gae", "sample", [95.0]).put("gae+pull", "sample", [96.0])
    store.put("vgae", "sample", [92.0]).put("vgae+pull", "sample", [91.0])
    scores = make_table(store.results, own).scores["auroc"]
    marked = {row: scores[row, "sample"].rank for row in own.methods}
    assert marked == {"gae": "", "gae+pull": "best", "vgae": "best", "vgae+pull": ""}


def test_who_is_compared_with_whom() -> None:
    with_pull, accuracy = known_experiment("with-pull-0.1"), known_experiment("accuracy-0.1")
    assert groups(with_pull) == [["gae", "gae+pull"], ["vgae", "vgae+pull"], ["vgnae", "vgnae+pull"]]
    assert groups(accuracy) == [list(accuracy.methods)]
    assert reference(with_pull, "gcn-ce@vgae+pull") == "vgae+pull"
    assert reference(accuracy, "gcn-ce@pull") == "pull"
    assert reference(known_experiment("weighted-sampling-0.1"), "pull-ws") == "pull"


def test_rows_are_tested_against_the_method_that_leads(tmp_path: Path) -> None:
    settings = {"variant": "quick", "datasets": ["sample"], "methods": ["gae.quick"], "values": {}}
    methods = ["gcn-ce", "gae", "gae.quick", "pull"]
    own = experiment(methods=methods, lead="gae", test="t", settings=[settings])
    store = Store(tmp_path, own).put("gae", "sample", [97.0, 97.1, 97.2, 97.1, 97.0])
    store.put("pull", "sample", [96.0, 96.2, 96.0, 96.1, 96.1])
    store.put("gae.quick", "sample", [95.0, 95.2, 95.0, 95.1, 95.1])
    found = make_table(store.results, own).scores["auroc"]
    assert reference(own, "gae") is None
    for row, lead in (("pull", 1.0), ("gae.quick", 2.0)):
        against = found[row, "sample"].against
        assert reference(own, row) == "gae"
        assert against is not None
        assert against.lead == pytest.approx(lead)
        assert against.p_holm is not None
        assert against.p_holm < 0.01
