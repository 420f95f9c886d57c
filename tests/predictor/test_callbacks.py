"""Callbacks: what they are told, that they change nothing, the CSV logger, the trackers of docs/callbacks.md."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.callbacks import Callback, CSVLogger, FitEvent
from pulink.errors import NotFittedError, OutputError, ParameterError
from tests.support.planted import planted_graph

PAGE = Path(__file__).resolve().parents[2] / "docs" / "callbacks.md"
GRAPH = planted_graph(10, 3, 0.6, 0.05, seed=0)


class Everything(Callback):
    def __init__(self) -> None:
        self.events: list[FitEvent] = []

    def on_fit_start(self, event: FitEvent) -> None:
        self.events.append(event)

    on_epoch = on_iteration = on_round = on_fit_end = on_fit_start


def told(model: Any, data: object = GRAPH) -> list[FitEvent]:
    listener = Everything()
    model.fit(data, callbacks=[listener])
    return listener.events


def small(name: str, **more: Any) -> Any:
    entry = pulink.METHODS[name]
    known = {*entry.predictor.parameter_names()} - {*entry.settings}
    sizes = {"max_iterations": 2, "n_epochs": 3, "max_epochs": 5, "min_epochs": 1, "n_splits": 2, "n_folds": 2}
    sizes |= {"n_trees": 4, "max_rounds": 1, "stop": False} | more
    return pulink.make(name, **{key: value for key, value in sizes.items() if key in known})


def test_pull_tells_of_every_epoch_and_iteration_as_in_its_history() -> None:
    model = pulink.PULL(n_epochs=4, max_iterations=3, stop=False, n_splits=1)
    events = told(model)
    assert [event.kind for event in events[:7]] == ["fit_start", *["epoch"] * 4, "iteration", "epoch"]
    chosen = [event for event in events if event.stage == "choose"]
    epochs = [event.number for event in chosen if event.kind == "epoch"]
    assert epochs == list(range(1, 13))
    iterations = [event for event in chosen if event.kind == "iteration"]
    assert [(event.number, event.of) for event in iterations] == [(1, 3), (2, 3), (3, 3)]
    for event, record in zip(iterations, model.history_, strict=True):
        known = {key: value for key, value in record.to_dict().items() if value is not None and key != "iteration"}
        assert dict(event.values) == known
    last_epochs = [event for event in chosen if event.kind == "epoch" and event.number % 4 == 0]
    assert [event.values["loss_expected"] for event in last_epochs] == [r.loss_expected for r in model.history_]
    assert {event.stage for event in events} == {"", "choose", "refit"}
    assert (events[-1].kind, events[-1].values["val_auroc"]) == ("fit_end", model.best_val_auroc_)
    assert all(event.model is model for event in events)


def test_epochs_carry_the_loss_and_where_it_was_measured_auroc() -> None:
    model = pulink.GCNCE(max_epochs=7, check_every=3, stop=False, refit=False, n_splits=1)
    epochs = [event for event in told(model) if event.kind == "epoch"]
    assert [(event.number, event.of) for event in epochs] == [(number, 7) for number in range(1, 8)]
    measured = [(event.number, event.values["val_auroc"]) for event in epochs if "val_auroc" in event.values]
    assert measured == model.history_
    assert [number for number, _ in measured] == [3, 6, 7]
    losses = [event.values["loss"] for event in epochs]
    # Inner products of small random vectors are about 0: each pair costs log 2.
    assert losses[0] == pytest.approx(np.log(2), abs=0.02)
    assert losses[-1] < losses[0]


def test_pull_plus_tells_of_its_rounds() -> None:
    model = pulink.PULLPlus(n_folds=2, n_epochs=3, n_trees=4, max_rounds=2, n_splits=1)
    rounds = [event for event in told(model) if event.kind == "round"]
    assert [event.number for event in rounds] == [record.round for record in model.history_]
    assert [event.values["val_average_precision"] for event in rounds] == [
        record.val_average_precision for record in model.history_
    ]


def test_every_split_is_told_of() -> None:
    events = told(pulink.GCNCE(max_epochs=2, stop=False, n_splits=3))
    splits = [(event.stage, event.split, event.n_splits) for event in events if event.kind == "epoch"]
    assert sorted(set(splits)) == [("choose", 1, 3), ("choose", 2, 3), ("choose", 3, 3), ("refit", 1, 3)]


FEW = ("pull", "gcn-ce", "l3n")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in pulink.METHODS]
)
def test_they_change_nothing(name: str, tmp_path: Path) -> None:
    for folder, callbacks in (("with", [Everything()]), ("without", None)):
        small(name, check_every=2).fit(GRAPH, callbacks=callbacks).save(tmp_path / folder)
    files = sorted(path.name for path in (tmp_path / "with").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "without").iterdir())
    for file in files:
        one, other = ((tmp_path / folder / file).read_bytes() for folder in ("with", "without"))
        assert one == other, file


def test_an_exception_ends_the_fit_and_is_raised() -> None:
    class EnoughError(Exception):
        pass

    class Stops:
        def on_epoch(self, event: FitEvent) -> None:
            if event.number == 2:
                raise EnoughError

    model = pulink.GCNCE(max_epochs=50)
    with pytest.raises(EnoughError):
        model.fit(GRAPH, callbacks=[Stops()])
    with pytest.raises(NotFittedError):
        model.missing_links()


def test_an_event_cannot_be_changed() -> None:
    event = told(pulink.GCNCE(max_epochs=1, n_splits=1))[1]
    with pytest.raises(AttributeError):
        event.number = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        event.values["loss"] = 0.0  # type: ignore[index]


@pytest.mark.parametrize(
    ("callbacks", "message"),
    [
        (Everything(), "callbacks must be a list"),
        ("log.csv", "callbacks must be a list"),
        ([Everything], r"callbacks holds the class Everything: make one of it with \(\)"),
        ([print], "every callback has at least one of the methods on_fit_start, on_epoch"),
    ],
)
def test_what_is_no_callback_is_refused(callbacks: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        pulink.L3N().fit(GRAPH, callbacks=callbacks)


def test_find_hands_them_on() -> None:
    listener = Everything()
    pulink.find(GRAPH, method="gcn-ce", top=2, max_epochs=2, n_splits=1, callbacks=[listener])
    assert {event.kind for event in listener.events} == {"fit_start", "epoch", "fit_end"}


def test_the_logger_writes_every_event_with_all_digits(tmp_path: Path) -> None:
    listener, path = Everything(), tmp_path / "log.csv"
    pulink.PULL(n_epochs=2, max_iterations=2, n_splits=1).fit(GRAPH, callbacks=[CSVLogger(path), listener])
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(listener.events)
    for row, event in zip(rows, listener.events, strict=True):
        assert (row["method"], row["event"], row["stage"], int(row["number"])) == (
            "PULL",
            event.kind,
            event.stage,
            event.number,
        )
        assert {k: float(row[k]) for k in row if k in event.values} == dict(event.values)
        assert row["more"] == ""


def test_the_logger_is_flushed_after_each_row(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    lengths: list[int] = []

    class Looks:
        def on_epoch(self, event: FitEvent) -> None:
            lengths.append(len(path.read_text().splitlines()))

    pulink.GCNCE(max_epochs=3, refit=False, n_splits=1).fit(GRAPH, callbacks=[CSVLogger(path), Looks()])
    assert lengths == [3, 4, 5]


def test_the_logger_refuses_a_file_that_is_there_and_goes_on_with_its_own(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    logger = CSVLogger(path)
    for _ in range(2):
        pulink.L3N(n_splits=1).fit(GRAPH, callbacks=[logger])
    assert len(path.read_text().splitlines()) == 5
    before = path.read_text()
    with pytest.raises(OutputError, match=r"log.csv: is there already; .*append=True"):
        pulink.L3N().fit(GRAPH, callbacks=[CSVLogger(path)])
    assert path.read_text() == before
    pulink.L3N().fit(GRAPH, callbacks=[CSVLogger(path, append=True)])
    assert path.read_text() == before + "".join(before.splitlines(keepends=True)[1:3])
    with pytest.raises(OutputError, match="cannot be written"):
        pulink.L3N().fit(GRAPH, callbacks=[CSVLogger(tmp_path / "no" / "log.csv")])


def test_the_logger_adds_to_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n")
    with pytest.raises(OutputError, match=r"edges.csv: is no log of CSVLogger .* name another file"):
        pulink.L3N().fit(GRAPH, callbacks=[CSVLogger(path, append=True)])
    assert path.read_text() == "source,target\na,b\n"
    path.write_text("")
    pulink.L3N(n_splits=1).fit(GRAPH, callbacks=[CSVLogger(path, append=True)])
    assert path.read_text().startswith("method,event,")


def test_a_spreadsheet_computes_nothing_of_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    logger, model = CSVLogger(path), pulink.L3N()
    logger.on_fit_start(FitEvent("=1+1", model, stage="@sum", values={"loss": -1.5, "own": 2.0}))
    row = next(csv.DictReader(path.read_text().splitlines()))
    assert (row["event"], row["stage"], row["loss"], row["more"]) == ("'=1+1", "'@sum", "-1.5", '{"own": 2.0}')


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize(("library", "made"), [("mlflow", "ToMLflow"), ("wandb", "ToWandb")])
def test_the_trackers_of_the_page_run(library: str, made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With stand-ins of the same functions: neither library is installed here."""
    calls: list[tuple[str, Any]] = []
    stand_in: Any = ModuleType(library)
    stand_in.log_params = lambda params: calls.append(("params", params))
    stand_in.log_metrics = lambda metrics, step: calls.append(("metrics" if step >= 0 else "?", metrics))
    run = SimpleNamespace(
        log=lambda metrics: calls.append(("metrics", metrics)),
        summary=SimpleNamespace(update=lambda values: calls.append(("metrics", values))),
        finish=lambda: calls.append(("finish", None)),
    )
    stand_in.init = lambda project, config: calls.append(("params" if project else "?", config)) or run
    monkeypatch.setitem(sys.modules, library, stand_in)
    (code,) = [block for block in blocks() if f"import {library}" in block]
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 (our own page)
    model = pulink.PULL(n_epochs=2, max_iterations=2, n_splits=1)
    model.fit(GRAPH, callbacks=[names[made]()])
    assert calls[0] == ("params", model.get_params())
    measured = [values for kind, values in calls if kind == "metrics"]
    assert any("loss_expected" in name for values in measured for name in values)
    assert measured[-1][next(name for name in measured[-1] if "val_auroc" in name)] == model.best_val_auroc_


def test_the_first_lines_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pulink, "load", lambda _: GRAPH, raising=False)
    exec(blocks()[0], {})  # noqa: S102 (our own page)
    assert len((tmp_path / "log.csv").read_text().splitlines()) > 20
