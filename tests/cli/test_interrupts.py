"""Ctrl-C, failing disks and killed runs: nothing is lost, and the same command goes on."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from torture.disturbed import Disturbance, disturb
from torture.runs import content, litter, write_edges
from torture.writes import KINDS, FailingDisk

from pulink.cli.terminal import signals
from pulink.cli.terminal.interrupts import UNFINISHED
from pulink.cli.terminal.signals import heed_signals
from pulink.system.folder_lock import LOCK
from pulink.workflows import evaluate, find
from tests.support.command import call, start

LONG = ("--method", "pull", "--set", "pull.n_epochs=60", "--set", "pull.max_iterations=4", "--threads", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    write_edges(tmp_path)
    monkeypatch.chdir(tmp_path)
    # A shell that runs tests in the background tells its children to ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield tmp_path
    signal.signal(signal.SIGINT, before)


def interrupt_when_kept(number: int = signal.SIGINT) -> threading.Thread:
    """Sends this process a signal as soon as there is a checkpoint."""

    def wait() -> None:
        while not list(Path("out").glob(f"{UNFINISHED}/*/*.piece")):
            time.sleep(0.001)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_was_done_and_the_command_goes_on(folder: Path, number: int, status: int) -> None:
    command = ("find", "edges.csv", *LONG, "--out", "out")
    assert call(*command).status == 0
    whole = content(folder)
    (folder / "out").rename(folder / "whole")
    with disturb(Disturbance("count", 0)):
        waiting = interrupt_when_kept(number)
        stopped = call(*command)
        waiting.join()
    assert stopped.status == status
    assert "Resume with: pulink find edges.csv --method pull" in stopped.err
    assert "Traceback" not in stopped.err
    assert content(folder) == {}
    again = call(*command)
    assert again.status == 0
    assert "resuming a run that was stopped" in again.err
    assert content(folder) == whole
    assert not litter(folder)


def test_other_settings_do_not_touch_what_a_stopped_run_left(folder: Path) -> None:
    command = ("find", "edges.csv", *LONG, "--out", "out")
    with disturb(Disturbance("count", 0)):
        waiting = interrupt_when_kept()
        assert call(*command).status == 130
        waiting.join()
    other = call(*command, "--seed", "1")
    assert "holds a run with other settings" in other.err
    assert litter(folder) == [UNFINISHED]
    assert "resuming a run" in call(*command).err
    assert not litter(folder)


def test_evaluate_goes_on_with_the_runs_that_are_done(folder: Path) -> None:
    command = ("evaluate", "edges.csv", *LONG, "--no-control", "--seeds", "2", "--json")
    with disturb(Disturbance("count", 0)):
        waiting = interrupt_when_kept()
        stopped = call(*command, "--out", "out")
        waiting.join()
    assert stopped.status == 130
    assert "Resume with: pulink evaluate edges.csv" in stopped.err
    assert "--no-control" in stopped.err
    again = call(*command, "--out", "out")
    assert again.status == 0
    assert without_clock(again.out) == without_clock(call(*command).out)
    assert not litter(folder)


def without_clock(text: str) -> list[str]:
    return [line for line in text.splitlines() if "seconds" not in line and "peak_mb" not in line]


@pytest.mark.slow
def test_nothing_is_promised_where_nothing_is_kept(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / UNFINISHED).write_text("in the way")
    endless = ("--set", "pull.n_epochs=1000000")
    with start("find", "edges.csv", "--method", "pull", *endless, "--out", "out", cwd=folder) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("read edges.csv")
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "stopped; nothing was finished yet. Start again with: pulink find edges.csv" in said


def stopped_while_loading(folder: Path, number: int) -> tuple[int, str]:
    """Status and words of a command that was sent a signal as soon as it held its output folder."""
    with start("find", "edges.csv", *LONG, "--out", "out", cwd=folder) as process:
        while process.poll() is None and not (folder / "out" / LOCK).exists():
            time.sleep(0.001)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_libraries_load_leaves_nothing_behind(folder: Path, number: int, status: int) -> None:
    ended, said = stopped_while_loading(folder, number)
    assert ended == status
    assert said == "pulink: interrupted; no file is incomplete\n"
    assert not (folder / "out").exists()


class Swallowing:
    """Like an object of a library that is loading: whatever is raised while it is let go of is lost."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("out", [(), ("--out", "out")])
def test_a_signal_that_a_library_swallowed_ends_the_command(
    folder: Path, number: int, out: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    before = {own: signal.getsignal(own) for own in (signal.SIGINT, signal.SIGTERM)}
    try:
        heed_signals()
        Swallowing(number)
        assert call("find", "edges.csv", *LONG, *out).status == 128 + number
    finally:
        for own, handler in before.items():
            signal.signal(own, handler)
        signals._arrived.clear()
    assert not told
    assert not (folder / "out").exists()


def test_an_interrupt_while_the_folder_is_locked_leaves_no_lock(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock

    def interrupted_lock(*given: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        lock(*given)

    monkeypatch.setattr("pulink.system.folder_lock.fcntl.flock", interrupted_lock)
    assert call("find", "edges.csv", *LONG, "--out", "out").status == 130
    assert not (folder / "out").exists()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_a_stopped_run_is_taken_up_says_how_to_go_on(
    folder: Path, number: int, status: int
) -> None:
    checkpoint = folder / "out" / UNFINISHED / "key" / "choose.piece"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_bytes(b"")
    ended, said = stopped_while_loading(folder, number)
    assert ended == status
    assert "finished work of an earlier run is kept. Resume with: pulink find edges.csv --method pull" in said
    assert said.count("\n") == 1
    assert checkpoint.exists()


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["find", "evaluate"])
@pytest.mark.parametrize("earlier", [True, False])
def test_what_lies_in_the_folder_decides_before_a_fit_has_begun(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, earlier: bool
) -> None:
    place = folder / "out" / UNFINISHED / "key"
    place.mkdir(parents=True)
    if earlier:
        (place / "choose.piece").write_bytes(b"")
    monkeypatch.setattr({"find": find, "evaluate": evaluate}[name], "open_graph", interrupt)
    stopped = call(name, "edges.csv", *LONG, "--out", "out")
    assert stopped.status == 130
    anew = "nothing was finished yet. Start again"
    kept = "finished work of an earlier run is kept. Resume" if earlier else anew
    assert f"stopped; {kept} with: pulink {name} edges.csv" in stopped.err


def test_a_second_ctrl_c_leaves_at_once(folder: Path) -> None:
    endless = ("--set", "pull.n_epochs=1000000")
    with start("find", "edges.csv", "--method", "pull", *endless, "--out", "out", cwd=folder) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("read edges.csv")
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        assert process.returncode == 130
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_no_step_on_the_disk_may_fail_and_tear_a_file(tmp_path: Path) -> None:
    disk = FailingDisk(tmp_path)
    for over_old in (False, True):
        steps = disk.steps(over_old=over_old)
        assert len(steps) > 80
        for number, step in enumerate(range(3 + over_old, len(steps) + 1, len(steps) // 3)):
            disk.disturb(list(KINDS)[(number + over_old) % 2], step, over_old=over_old)
    assert not disk.failures
    assert disk.trials.total() >= 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"), [("kills", ["--count", "3", "--steps", "6"]), ("writes", ["--every", "5"])]
)
def test_torture(name: str, settings: list[str]) -> None:
    subprocess.run([sys.executable, "-m", f"torture.{name}", *settings], check=True)
