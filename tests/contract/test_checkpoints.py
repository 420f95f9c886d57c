"""A fit that is stopped again and again ends with the bytes of one that was not, whatever the method."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.graph.spaces.kinds import KINDS
from pulink.methods.pull_plus import estimator, signals
from pulink.methods.pull_plus.signals import Signal
from pulink.persistence import checkpoints as kept_pieces
from pulink.persistence.checkpoints import Checkpoint, Checkpoints
from pulink.predictor.fitting.fit_run import Progress
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph
from tests.support.planted_kinds import small_planted
from tests.support.quick import BRIEF, DEAR, is_random, make

GRAPH = planted_graph(14, 3, 0.8, 0.02, seed=0)
FEW_STEPS = DEAR | {"pull-plus"}
TRAINED = [name for name in pulink.METHODS if is_random(name)]
# These stand for the others on graphs of other kinds; the slow ones try all.
FEW = ("pull", "pull-plus", "vgae")
OF_KINDS = [
    (name, kind) if name in FEW else pytest.param(name, kind, marks=pytest.mark.slow)
    for kind in KINDS[1:]
    for name in TRAINED
    if kind in pulink.METHODS[name].predictor.kinds
]


def bytes_of(model: LinkPredictor, folder: Path) -> dict[str, bytes]:
    model.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def stopped_often(name: str, folder: Path, between: int, graph: pulink.Graph = GRAPH) -> tuple[LinkPredictor, int]:
    """The model, and how often its fit was stopped: whenever it has told of so much progress."""
    n_stops = 0
    while True:
        checkpoints = Checkpoints(folder, every=0.0)
        left = between

        def stop_now_and_then(progress: Progress, checkpoints: Checkpoints = checkpoints) -> None:
            nonlocal left
            # Nothing is kept while pairs are scored.
            left -= progress.stage != "calibrate"
            if left == 0:
                checkpoints.stop_soon()

        model = make(name, BRIEF)
        try:
            return model.fit(graph, progress=stop_now_and_then, checkpoints=checkpoints), n_stops
        except KeyboardInterrupt:
            n_stops += 1
            assert n_stops < 100


@pytest.mark.parametrize("name", TRAINED)
def test_a_stopped_fit_goes_on_to_the_same_bytes(name: str, tmp_path: Path) -> None:
    whole = bytes_of(make(name, BRIEF).fit(GRAPH), tmp_path / "whole")
    model, n_stops = stopped_often(name, tmp_path / "pieces", between=1 if name in FEW_STEPS else 4)
    assert n_stops >= 1
    assert bytes_of(model, tmp_path / "stopped") == whole


@pytest.mark.parametrize(("name", "kind"), OF_KINDS)
def test_a_stopped_fit_goes_on_whatever_the_kind_of_graph(name: str, kind: str, tmp_path: Path) -> None:
    graph = small_planted(kind)
    whole = bytes_of(make(name, BRIEF).fit(graph), tmp_path / "whole")
    model, n_stops = stopped_often(name, tmp_path / "pieces", 1 if name in FEW_STEPS else 4, graph)
    assert n_stops >= 1
    assert bytes_of(model, tmp_path / "stopped") == whole


def test_pieces_of_other_settings_or_graphs_are_not_taken(tmp_path: Path) -> None:
    first = make("pull", BRIEF)
    first.fit(GRAPH, checkpoints=tmp_path / "pieces")
    other = make("pull", BRIEF).set_params(seed=1)
    assert other.checkpoint_key(GRAPH) != first.checkpoint_key(GRAPH)
    smaller = planted_graph(13, 3, 0.8, 0.02, seed=0)
    assert first.checkpoint_key(smaller) != first.checkpoint_key(GRAPH)
    alone = bytes_of(make("pull", BRIEF).set_params(seed=1).fit(GRAPH), tmp_path / "alone")
    other.fit(GRAPH, checkpoints=tmp_path / "pieces")
    assert bytes_of(other, tmp_path / "other") == alone


def test_the_key_changes_with_the_signals_and_sources_of_pull_plus(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("pull-plus", BRIEF)
    keys = {model.checkpoint_key(GRAPH)}
    more = Signal("constant", "structure", "degrees", lambda pairs: np.ones(len(pairs.pairs)))
    for table in ((*signals.SIGNALS, more), signals.SIGNALS[1:], signals.SIGNALS[::-1]):
        with monkeypatch.context() as patch:
            patch.setattr(signals, "SIGNALS", table)
            keys.add(model.checkpoint_key(GRAPH))
    monkeypatch.setattr(estimator, "SOURCES", estimator.SOURCES[1:])
    keys.add(model.checkpoint_key(GRAPH))
    assert len(keys) == 5


@pytest.mark.parametrize("name", ["pull", "pull-plus", "gcn-ce", "l3n"])
def test_the_key_changes_with_the_source_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(name, BRIEF)
    before = model.checkpoint_key(GRAPH)
    assert model.checkpoint_key(GRAPH) == before
    monkeypatch.setattr(kept_pieces, "source_digest", lambda parts: f"{parts} as they were a year ago")
    assert model.checkpoint_key(GRAPH) != before


def test_damaged_pieces_are_made_again(tmp_path: Path) -> None:
    whole = bytes_of(make("pull-plus", BRIEF).fit(GRAPH), tmp_path / "whole")
    make("pull-plus", BRIEF).fit(GRAPH, checkpoints=tmp_path / "pieces")
    checkpoints = sorted((tmp_path / "pieces").glob("*/*.piece"))
    assert len(checkpoints) >= 4
    for number, path in enumerate(checkpoints):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content if number % 2 else content[: len(content) // 2])
    again = make("pull-plus", BRIEF).fit(GRAPH, checkpoints=tmp_path / "pieces")
    assert bytes_of(again, tmp_path / "again") == whole


def emptied(checkpoint: Checkpoint) -> Checkpoint:
    return Checkpoint({}, {})


def without_arrays(checkpoint: Checkpoint) -> Checkpoint:
    return Checkpoint(checkpoint.plain, {})


def with_words(checkpoint: Checkpoint) -> Checkpoint:
    return Checkpoint(dict.fromkeys(checkpoint.plain, "x"), checkpoint.arrays)


def with_nulls(checkpoint: Checkpoint) -> Checkpoint:
    return Checkpoint(dict.fromkeys(checkpoint.plain), checkpoint.arrays)


def cut_short(checkpoint: Checkpoint) -> Checkpoint:
    return Checkpoint(
        checkpoint.plain, {name: own[:1] if own.ndim else own for name, own in checkpoint.arrays.items()}
    )


def of_other_kinds(checkpoint: Checkpoint) -> Checkpoint:
    return Checkpoint(checkpoint.plain, {name: own.astype(np.int8) for name, own in checkpoint.arrays.items()})


def without_numbers(checkpoint: Checkpoint) -> Checkpoint:
    def spoilt(own: Any) -> Any:
        return np.full_like(own, np.nan) if own.dtype.kind == "f" else own

    return Checkpoint(checkpoint.plain, {name: spoilt(own) for name, own in checkpoint.arrays.items()})


HARMS = (emptied, without_arrays, with_words, with_nulls, cut_short, of_other_kinds, without_numbers)


@pytest.mark.parametrize(
    "name",
    [
        "pull",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("pull-plus", "gcn-ce", "bagging-pu", "buddy")),
    ],
)
def test_pieces_with_right_checksums_that_say_something_else_are_made_again(name: str, tmp_path: Path) -> None:
    whole = bytes_of(make(name, BRIEF).fit(GRAPH), tmp_path / "whole")
    make(name, BRIEF).fit(GRAPH, checkpoints=tmp_path / "pieces")
    untouched = {path: path.read_bytes() for path in (tmp_path / "pieces").glob("*/*.piece")}
    assert untouched
    for harm in HARMS:
        for path, content in untouched.items():
            path.write_bytes(content)
            found = kept_pieces.read_sealed(path)
            assert found is not None
            path.write_bytes(kept_pieces.sealed_bytes(harm(found), (1.0, 1.0)))
        again = make(name, BRIEF).fit(GRAPH, checkpoints=tmp_path / "pieces")
        assert bytes_of(again, tmp_path / "again") == whole, harm.__name__


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"run": {}},
        {"run": {"auroc": "x"}},
        {"run": []},
        {"run": {"auroc": "x"}, "all": True},
        {"run": {"seconds": None}, "all": True},
        {"run": {"seconds": float("nan")}, "all": True},
        {"run": {"reliability": {"mean_probability": [1]}}, "all": True},
        {"run": {"seed": 7}, "all": True},
    ],
    ids=json.dumps,
)
def test_a_finished_run_that_cannot_be_is_made_again(plain: dict[str, Any], tmp_path: Path) -> None:
    (whole,) = pulink.evaluate(GRAPH, ["l3n"], checkpoints=Checkpoints(tmp_path))
    (path,) = tmp_path.glob("*/run-l3n.piece")
    if plain.get("all"):
        plain = {"run": whole.to_dict() | plain["run"]}
    path.write_bytes(kept_pieces.sealed_bytes(Checkpoint(plain), (1.0, 1.0)))
    (again,) = pulink.evaluate(GRAPH, ["l3n"], checkpoints=Checkpoints(tmp_path))
    clock = {"seconds", "cpu_seconds", "peak_mb"}
    one, two = ({k: v for k, v in run.to_dict().items() if k not in clock} for run in (whole, again))
    assert one == two
    assert again.to_dict() == pulink.evaluate(GRAPH, ["l3n"], checkpoints=Checkpoints(tmp_path))[0].to_dict()


def test_what_was_done_is_not_done_again(tmp_path: Path) -> None:
    make("gcn-ce", BRIEF).fit(GRAPH, checkpoints=tmp_path)
    seen: list[Progress] = []
    make("gcn-ce", BRIEF).fit(GRAPH, checkpoints=tmp_path, progress=seen.append)
    assert {own.stage for own in seen} == {"calibrate"}


def test_an_encoder_of_your_own_is_never_taken_for_another(tmp_path: Path) -> None:
    from pulink.nn.encoders import encoder_factory

    model = pulink.PULL(encoder=encoder_factory("gcn"), max_iterations=1, n_epochs=2)
    assert model.checkpoint_key(GRAPH) is None
    model.fit(GRAPH, checkpoints=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_takes_nothing_does_not_end_a_fit(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("no folder")
    told: list[str] = []
    make("gcn-ce", BRIEF).fit(GRAPH, checkpoints=Checkpoints(tmp_path / "taken", every=0.0, tell=told.append))
    assert len(told) == 1
    assert "going on without" in told[0]
