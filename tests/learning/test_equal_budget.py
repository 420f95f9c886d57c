"""The equal-budget control takes exactly as many gradient steps as PULL took."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.nn.trainer import LossTerm, Trainer
from tests.support.planted import planted_graph

SPLIT = pulink.split(planted_graph(20, 3, 0.6, 0.03, seed=0), val=0.1, test=0.1, seed=0)


def count_steps(model: pulink.PULL | pulink.GCNCE, patch: pytest.MonkeyPatch) -> int:
    """The gradient steps that a fit asks its trainer for."""
    steps: list[int] = []
    train = Trainer.train

    def counted(self: Trainer, terms: Sequence[LossTerm], n_epochs: int, *rest: Any) -> Any:
        steps.append(n_epochs)
        return train(self, terms, n_epochs, *rest)

    with patch.context() as patched:
        patched.setattr(Trainer, "train", counted)
        model.fit(SPLIT)
    return sum(steps)


@pytest.mark.parametrize("settings", [{"seed": 0}, {"seed": 1, "stop": False}, {"seed": 2, "correction": False}])
def test_the_control_takes_as_many_steps(settings: dict[str, int | bool], monkeypatch: pytest.MonkeyPatch) -> None:
    model = pulink.PULL(n_epochs=7, max_iterations=5, **settings)
    n_steps = count_steps(model, monkeypatch)
    assert n_steps == model.n_steps_ == 7 * len(model.history_)
    control = pulink.equal_budget_control(model.n_steps_, model.n_epochs, model)
    assert count_steps(control, monkeypatch) == control.n_steps_ == n_steps


def test_the_control_looks_at_the_validation_edges_as_often_as_pull() -> None:
    model = pulink.PULL(n_epochs=7, max_iterations=4, stop=False).fit(SPLIT)
    control = pulink.equal_budget_control(model.n_steps_, model.n_epochs, model).fit(SPLIT)
    assert [epoch for epoch, _ in control.history_] == [7, 14, 21, 28]
    assert control.n_epochs_ == 7 * (1 + int(np.argmax([auroc for _, auroc in control.history_])))


def test_the_control_shares_every_other_setting() -> None:
    model = pulink.PULL(
        n_units=5,
        n_layers=3,
        learning_rate=0.02,
        feature_scaling="none",
        val_ratio=0.2,
        refit=False,
        seed=9,
        threads=1,
    )
    control = pulink.equal_budget_control(100, 10, model)
    for name in (
        "n_units", "n_layers", "learning_rate", "feature_scaling", "val_ratio", "refit", "seed", "threads",
    ):  # fmt: skip
        assert getattr(control, name) == getattr(model, name), name
