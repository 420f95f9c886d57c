"""The runner: what it starts, what it waits for, what it keeps, and what a kill leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pulink.errors import InputError
from pulink.experiments import runner as runner_module
from pulink.experiments.plan import RunSpec, plan
from pulink.experiments.results import Results
from pulink.experiments.runner import Runner, State
from pulink.experiments.spec import Experiment, parse
from tests.experiments.in_this_process import runs_here

TINY = {
    "title": "Tiny",
    "source": "ours",
    "kind": "table",
    "missing_ratio": 0.1,
    "seeds": 1,
    "controls": True,
    "methods": ["gcn-ce", "pull"],
    "columns": [{"name": "sample"}],
    "settings": [
        {
            "variant": "tiny",
            "datasets": ["sample"],
            "methods": ["pull"],
            "values": {"max_iterations": 2, "n_epochs": 3, "stop": False},
        },
        {"variant": "wrong", "datasets": ["sample"], "methods": ["gcn-ce"], "values": {"max_epochs": 0}},
    ],
}
GCN, PULL, CONTROL = (
    RunSpec("sample", "gcn-ce", 0.1, 0, "wrong", settings={"max_epochs": 0}),
    *(
        RunSpec("sample", name, 0.1, 0, "tiny", settings={"max_iterations": 2, "n_epochs": 3, "stop": False})
        for name in ("pull", "gcn-ce@pull")
    ),
)


def tiny() -> Experiment:
    return parse("tiny", TINY)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, list[str], State]:
    """Three runs, two at a time, the control listed before the run that it controls."""
    results = Results(tmp_path_factory.mktemp("results"))
    order: list[str] = []
    runner = Runner(results, jobs=2, on_finished=lambda spec, *_: order.append(spec.method))
    assert {spec.path for spec in plan([tiny()])} == {GCN.path, PULL.path, CONTROL.path}
    with runs_here():
        return results, order, runner.work([CONTROL, PULL, GCN])


def test_a_run_is_made_in_a_process_of_its_own_and_is_the_same_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whatever lies in the working folder is no part of it.
    monkeypatch.chdir(tmp_path)
    Path("json.py").write_text("raise SystemExit('imported from the working folder')\n")
    spec = RunSpec("sample", "jaccard", 0.1, 0)
    theirs, ours = Results(tmp_path / "theirs"), Results(tmp_path / "ours")
    assert Runner(theirs).work([spec]).n_failed == 0
    with runs_here():
        Runner(ours).work([spec])
    clock = {"seconds", "cpu_seconds", "peak_mb"}
    one, two = ({k: v for k, v in (own.run(spec) or {}).items() if k not in clock} for own in (theirs, ours))
    assert one == two
    assert 0.5 < one["auroc"] <= 1


def test_a_control_waits_for_its_run_and_takes_as_many_steps(finished: tuple[Results, list[str], State]) -> None:
    results, order, _ = finished
    assert order.index("gcn-ce@pull") > order.index("pull")
    pull, control = results.run(PULL), results.run(CONTROL)
    assert pull is not None
    assert control is not None
    assert pull["n_steps"] == control["n_steps"] == 6
    assert [step["iteration"] for step in pull["history"]] == [1, 2]
    assert 0.5 < pull["auroc"] <= 1
    assert pull["n_train_edges"] + pull["k"] == 22019


def test_a_failure_is_a_result_and_the_others_go_on(finished: tuple[Results, list[str], State]) -> None:
    results, _, state = finished
    record = results.read(GCN)
    assert record is not None
    assert "max_epochs" in record["failed"]
    assert "run" not in record
    assert (state.n_planned, state.n_done, state.n_failed) == (3, 3, 1)


def test_finished_runs_are_not_made_again(
    finished: tuple[Results, list[str], State], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    state = Runner(finished[0]).work(plan([tiny()]))
    assert (state.n_planned, state.n_done) == (3, 3)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({}, "does not tell seconds"),
        ({"seconds": "long"}, "its seconds cannot be a run's"),
        (None, "holds neither figures nor a failure"),
        ([], "holds neither figures nor a failure"),
    ],
)
def test_a_record_without_figures_is_named(tmp_path: Path, run: object, message: str) -> None:
    results = Results(tmp_path)
    results.write(GCN, {"spec": GCN.to_dict(), "run": run})
    with pytest.raises(InputError, match=f"{GCN.path}: {message}; remove it to run it again"):
        Runner(results).work([GCN])


# Stands for a run: reads its task, and does what its settings say. Tests that a script started in the background
# ignore SIGINT, and so would every process that they start.
_STAND_IN = """
import json, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
task = json.load(sys.stdin)
wanted = task["spec"]["settings"]
sys.stderr.write("x" * wanted.get("noise", 0))
sys.stderr.write("\\n" + wanted.get("says", ""))
time.sleep(wanted.get("sleeps", 0))
if "signal" in wanted:
    os.kill(os.getpid(), wanted["signal"])
if "status" in wanted:
    sys.exit(wanted["status"])
print("words of a library")
print(json.dumps({"spec": task["spec"], "run": {"n_steps": 7, "seconds": 1.0, "given": task["n_steps"]}}))
"""


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick processes in the place of runs."""
    popen: Callable[..., subprocess.Popen[str]] = subprocess.Popen

    def start(command: list[str], **options: Any) -> subprocess.Popen[str]:
        return popen([sys.executable, "-S", "-c", _STAND_IN], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(runner_module, "_POLL_SECONDS", 0.01)


def run_of(method: str, seed: int = 0, **settings: Any) -> RunSpec:
    return RunSpec("sample", method, 0.1, seed, settings=settings)


@pytest.mark.usefixtures("stand_in")
def test_a_run_that_says_much_is_not_stopped_by_a_full_pipe(tmp_path: Path) -> None:
    spec = run_of("pull", noise=300_000)
    Runner(Results(tmp_path)).work([spec])
    assert Results(tmp_path).run(spec) == {"n_steps": 7, "seconds": 1.0, "given": None}


@pytest.mark.usefixtures("stand_in")
def test_a_run_that_dies_leaves_its_last_words_or_its_status(tmp_path: Path) -> None:
    silent, loud = run_of("pull", status=9), run_of("gae", status=1, says="MemoryError: no")
    ended = run_of("vgae", signal=9)
    results = Results(tmp_path)
    Runner(results).work([silent, loud, ended])
    assert results.read(silent) == {"spec": silent.to_dict(), "failed": "ended with status 9"}
    assert results.read(ended) == {"spec": ended.to_dict(), "failed": "was ended by signal 9"}
    assert results.read(loud) == {"spec": loud.to_dict(), "failed": "MemoryError: no"}


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_was_asked_to_stop_has_not_failed(tmp_path: Path, number: int) -> None:
    stopped, other = run_of("pull", signal=int(number)), run_of("gae")
    results = Results(tmp_path)
    state = Runner(results).work([stopped, other])
    assert (state.n_planned, state.n_done, state.n_failed) == (2, 1, 0)
    assert results.read(stopped) is None
    assert results.run(other) is not None


@pytest.mark.usefixtures("stand_in")
def test_the_control_of_a_failed_run_fails_and_is_counted(tmp_path: Path) -> None:
    base, control = run_of("pull", status=1), run_of("gcn-ce@pull", status=1)
    told: list[str] = []
    runner = Runner(Results(tmp_path), on_finished=lambda *told_of: told.append(told_of[1]["failed"]))
    state = runner.work([base, control])
    assert (state.n_done, state.n_failed) == (2, 2)
    assert told[1] == "the run that it controls failed"


@pytest.mark.usefixtures("stand_in")
def test_retrying_waits_for_the_run_that_is_made_again(tmp_path: Path) -> None:
    results = Results(tmp_path)
    base, control = run_of("pull", sleeps=0.2), run_of("gcn-ce@pull", sleeps=0.2)
    for spec in (base, control):
        results.write(spec, {"spec": spec.to_dict(), "failed": "the first time"})
    assert Runner(results).work([base, control]).n_done == 2
    assert results.run(control) is None
    state = Runner(results, jobs=2, retry=True).work([base, control])
    assert (state.n_done, state.n_failed) == (2, 0)
    assert (found := results.run(control)) is not None
    assert found["given"] == 7


@pytest.mark.usefixtures("stand_in")
def test_a_spent_budget_starts_nothing_new(tmp_path: Path) -> None:
    specs = [run_of("pull", seed, sleeps=0.3) for seed in range(5)]
    state = Runner(Results(tmp_path), budget_seconds=0.2).work(specs)
    assert 1 <= state.n_done < 5
    assert Runner(Results(tmp_path), jobs=3).work(specs).n_done == 5


@pytest.mark.usefixtures("stand_in")
def test_ticks_tell_what_is_running_and_how_long_it_takes(tmp_path: Path) -> None:
    ticks: list[tuple[list[RunSpec], float | None]] = []
    specs = [run_of("pull", seed, sleeps=0.1) for seed in range(2)]
    Runner(Results(tmp_path), on_tick=lambda state: ticks.append((state.running, state.seconds_left))).work(specs)
    assert ticks[0] == ([specs[0]], None)
    assert ticks[-1] == ([], 0.0)
    assert any(seconds is not None and seconds > 0.05 for _, seconds in ticks)


def children_of(process: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A runner that was killed at work; the process of its run, and the folder of results."""
    spec = RunSpec("sample", "pull", 0.1, 0, "long", settings={"n_epochs": 10**6})
    code = (
        "import json, sys; from pathlib import Path\n"
        "from pulink.experiments.results import Results; from pulink.experiments.plan import RunSpec\n"
        "from pulink.experiments.runner import Runner\n"
        "Runner(Results(Path(sys.argv[1]))).work([RunSpec(**json.loads(sys.argv[2]))])"
    )
    own = subprocess.Popen([sys.executable, "-c", code, str(tmp_path), json.dumps(spec.to_dict())])
    assert wait_until(lambda: bool(children_of(own.pid)))
    (child,) = children_of(own.pid)
    own.send_signal(signal.SIGKILL)
    own.wait()
    yield child, tmp_path
    if Path(f"/proc/{child}").exists():
        os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_killed_runner_leaves_no_half_result_and_no_process(killed: tuple[int, Path]) -> None:
    child, folder = killed
    assert wait_until(lambda: not Path(f"/proc/{child}").exists())
    assert list(folder.rglob("*.json")) == []


def test_a_kill_while_writing_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, spec = Results(tmp_path), run_of("pull")
    results.write(spec, {"spec": spec.to_dict(), "run": {"auroc": 0.5}})

    def killed(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        results.write(spec, {"spec": spec.to_dict(), "run": {"auroc": 0.9}})
    assert results.run(spec) == {"auroc": 0.5}
    assert [path.name for path in (tmp_path / spec.path).parent.iterdir()] == [spec.path.name]
