"""PULL against its control: who won, as far as the seeds go."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulink.report.reproduction.controls import EQUAL, FEW, NO, WAITING, YES, answers
from pulink.report.reproduction.tables import make_table
from tests.support.made_up_runs import Store, experiment

PULL = [97.0, 97.1, 97.2, 97.3, 97.4, 97.5]


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ([96.0] * 6, YES),
        ([98.0] * 6, NO),
        ([96.9, 97.2, 97.1, 97.4, 97.3, 97.6], EQUAL),
        ([96.0] * 4, FEW),
        ([], WAITING),
    ],
)
def test_the_answer(tmp_path: Path, control: list[float], expected: str) -> None:
    store = Store(tmp_path, experiment()).put("pull", "sample", PULL).put("gcn-ce@pull", "sample", control)
    found = answers([make_table(store.results, store.experiment)])
    words = {(answer.column, answer.measure): answer.words for answer in found}
    assert words == {
        ("sample", "auroc"): expected,
        ("sample", "auprc"): expected,
        ("chameleon", "auroc"): WAITING,
        ("chameleon", "auprc"): WAITING,
    }


def test_tables_that_share_runs_answer_once_with_the_most_seeds(tmp_path: Path) -> None:
    short, long = experiment(seeds=5), experiment()
    store = Store(tmp_path, long).put("pull", "sample", PULL).put("gcn-ce@pull", "sample", [96.0] * 6)
    found = answers([make_table(store.results, short), make_table(store.results, long)])
    (own,) = [answer for answer in found if (answer.column, answer.measure) == ("sample", "auroc")]
    assert own.comparison is not None
    assert (own.comparison.n_pairs, own.comparison.p) == (6, pytest.approx(2 / 64))
    assert own.n_steps == 800
