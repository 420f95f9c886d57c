"""Model folders and checkpoints that another pulink wrote: read as they were meant, refused, or left alone."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import pulink
from pulink.engine.threads import thread_count
from pulink.errors import ModelError
from pulink.methods.pull_plus import signals
from pulink.methods.pull_plus.signals import SIGNALS, Signal, signals_called
from pulink.persistence import checkpoints as kept
from pulink.persistence.checkpoints import Checkpoints
from pulink.predictor.predictor import LinkPredictor
from pulink.system.versions import versions
from tests.persistence.test_model_folder import reseal
from tests.support.command import call
from tests.support.planted import planted_graph
from tests.support.small_views import all_pairs, random_graph

STORED = Path(__file__).parent / "stored"
SCORES = load_file(STORED / "scores.safetensors")
COLUMNS = (STORED / "columns.txt").read_text().splitlines()
PAIRS = all_pairs(40)
NEW = Signal("degree_sum", "structure", "degrees", lambda pairs: pairs.degree_low + pairs.degree_high)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The stored PULL+, saved again: with the names of its signals."""
    pulink.load_model(STORED / "pull-plus").save(tmp_path / "model")
    return tmp_path / "model"


def change(folder: Path, harm: Callable[[dict[str, Any]], None]) -> None:
    """Change what was learned, and write checksums that fit."""
    model = json.loads((folder / "model.json").read_text())
    harm(model["learned"])
    (folder / "model.json").write_text(json.dumps(model))
    reseal(folder)


def refused(folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        pulink.load_model(folder)
    said = str(caught.value)
    assert said.startswith(f"{folder}: ")
    assert len(said.splitlines()) == 1
    return said


@pytest.mark.parametrize("name", ["pull-plus", "pull", "l3n"])
def test_a_model_of_an_earlier_pulink_gives_the_scores_that_it_gave(name: str) -> None:
    scores = pulink.load_model(STORED / name).decision_function(PAIRS)
    assert np.array_equal(scores, SCORES[name])


def test_a_model_keeps_the_names_of_its_columns(folder: Path) -> None:
    assert json.loads((folder / "model.json").read_text())["learned"]["signals"] == COLUMNS
    model = pulink.PULLPlus.load(folder)
    assert [*model.signals_] == COLUMNS
    assert "signals" not in model.summary()
    assert np.array_equal(model.decision_function(PAIRS), SCORES["pull-plus"])


@pytest.mark.parametrize("left_out", ["", "spectrum", "encoders", "spectrum, encoders, attributes"])
def test_names_are_told_from_arrays_where_a_folder_has_none(
    left_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of the time when there were no other signals, stored as it was then."""
    monkeypatch.setattr(signals, "SIGNALS", tuple(signals_called(COLUMNS[:-1])))
    brief = pulink.PULLPlus(n_trees=4, n_units=4, n_epochs=2, n_folds=2, max_rounds=0)
    brief.set_params(leave_out=f"{left_out}, pair-net")
    model = brief.fit(random_graph(40, 150, 0, features=np.random.default_rng(0).random((40, 3))))
    model.save(tmp_path / "model")
    change(tmp_path / "model", lambda learned: learned.pop("signals"))
    again = pulink.PULLPlus.load(tmp_path / "model")
    assert again.signals_ == model.signals_
    assert np.array_equal(again.decision_function(PAIRS), model.decision_function(PAIRS))


# Before all signals of an undirected graph, among them, after them.
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(0, marks=pytest.mark.slow),
        12,
        pytest.param(len(signals.signal_names()), marks=pytest.mark.slow),
    ],
)
def test_a_signal_more_leaves_stored_models_as_they_are(
    place: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = pulink.PULLPlus.load(folder)
    names, contributions = before.contributions(PAIRS[:20])
    grown = before.with_nodes(["new"], [("new", "node 3"), ("new", "node 7")])
    monkeypatch.setattr(signals, "SIGNALS", (*SIGNALS[:place], NEW, *SIGNALS[place:]))
    for stored in (folder, STORED / "pull-plus"):
        model = pulink.PULLPlus.load(stored)
        assert np.array_equal(model.decision_function(PAIRS), SCORES["pull-plus"])
        assert model.contributions(PAIRS[:20])[0] == names
        assert np.array_equal(model.contributions(PAIRS[:20])[1], contributions)
        again = model.with_nodes(["new"], [("new", "node 3"), ("new", "node 7")])
        assert np.array_equal(again.decision_function(all_pairs(41)), grown.decision_function(all_pairs(41)))
    fresh = pulink.PULLPlus(**before.get_params()).fit(before.graph_)
    assert fresh.signals_.index(NEW.name) == place


@pytest.mark.parametrize("name", ["jaccard", "vgnae_norm_high"])
def test_a_signal_that_is_no_longer_there_is_named(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "SIGNALS", tuple(own for own in SIGNALS if own.name != name))
    for stored in (folder, STORED / "pull-plus"):
        assert f"this pulink does not know the signal '{name}'" in refused(stored)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([*COLUMNS[:3], "harmonic_distance", *COLUMNS[3:]], "does not know the signal 'harmonic_distance'"),
        ([*COLUMNS[:-1], "x" * 10_000, "sources"], "does not know the signal 'xxx"),
        ([*COLUMNS[:-1], "line\nbreak\x1b[2J", "sources"], r"does not know the signal 'line\nbreak\x1b[2J'"),
        ([*COLUMNS[:-1], "common", "sources"], "two signals of the name 'common'"),
        (COLUMNS[:-1], "the last of its signals is not 'sources'"),
        ([], "the last of its signals is not 'sources'"),
        (["gcn_dot", "features", "adjacency_entry_32", "sources"], "trees read signals that it does not have"),
        ([*COLUMNS[:12], "sources"], "its signals are not those of its arrays"),
        ([*COLUMNS[:-1], 37, "sources"], "its signals are no list of names"),
        (dict.fromkeys(COLUMNS), "its signals are no list of names"),
        (None, "its signals are no list of names"),
    ],
    ids=lambda own: str(own)[-30:],
)
def test_names_that_cannot_be_are_refused(names: Any, message: str, folder: Path) -> None:
    change(folder, lambda learned: learned.update(signals=names))
    assert message in refused(folder)


def key_before(model: LinkPredictor, graph: pulink.Graph) -> str:
    """What checkpoints were filed under before signals and source files counted."""
    plain = model.get_params() | {"threads": thread_count(model.threads)}
    digest = hashlib.sha256(json.dumps([type(model).__name__, plain, versions()], sort_keys=True).encode())
    for array in kept._content(graph):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_checkpoint_of_an_earlier_pulink_is_left_alone(tmp_path: Path) -> None:
    stored = pulink.PULLPlus.load(STORED / "pull-plus")
    (earlier,) = (STORED / "checkpoint").iterdir()
    copied = tmp_path / key_before(stored, stored.graph_)
    shutil.copytree(earlier, copied)
    assert kept.read_sealed(copied / "fold-0.piece") is not None
    checkpoints = Checkpoints(tmp_path)
    checkpoints.of(str(stored.checkpoint_key(stored.graph_)))
    assert not checkpoints.holds_something
    assert checkpoints.n_others() == 1
    pulink.PULLPlus(**stored.get_params()).fit(stored.graph_, checkpoints=checkpoints)
    assert contents(copied) == contents(earlier)


def test_who_has_a_checkpoint_of_an_earlier_pulink_is_told(tmp_path: Path) -> None:
    (earlier,) = (STORED / "checkpoint").iterdir()
    left = tmp_path / "found" / ".unfinished" / earlier.name
    shutil.copytree(earlier, left)
    lines = [f"{one},{other}" for one, other in planted_graph(10, 4, 0.7, 0.05, seed=0).edges.tolist()]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *lines]))
    budget = {"n_trees": 5, "n_units": 4, "n_epochs": 3, "n_folds": 2, "max_rounds": 1}
    brief = [f"--set=pull-plus.{name}={value}" for name, value in budget.items()]
    done = call("find", str(tmp_path / "edges.csv"), "--out", str(tmp_path / "found"), *brief)
    assert done.status == 0
    assert f"{left.parent} holds a run with other settings, data or version of pulink" in done.err
    assert contents(left) == contents(earlier)
