"""Kills and failing disks: what counts as a step, as a kill, and as going on."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from torture import writes
from torture.disturbed import Disturbance, disturb, watched
from torture.kills import _killed_after, faults, shares, spread
from torture.runs import CHAMELEON, SAMPLE, SAMPLE_PLUS, SecondStart, whole_checkpoints
from torture.writes import FailingDisk, on_real_disks, unclear

from pulink.cli.terminal.interrupts import UNFINISHED
from pulink.errors import OutputError
from pulink.persistence.checkpoints import Checkpoint, Checkpoints
from pulink.system.files import write_atomically
from pulink.system.folder_lock import LOCK, locked

WHOLE = {"run.json": b"{}"}
GOING_ON = "read\nresuming a run that was stopped after 0 s\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def steps_of(kind: str = "count", step: int = 0) -> list[str]:
    with disturb(disturbance := Disturbance(kind, step)):
        write_atomically(Path("new", "file"), b"content")
    return disturbance.steps


def test_the_steps_of_one_file() -> None:
    steps = steps_of()
    # Python tries the folder, and its parent when that fails.
    assert [own for own in steps if own != "mkdir"] == ["open", "write", "sync", "chmod", "rename", "sync"]
    assert "mkdir" not in steps_of()


@pytest.mark.parametrize("what", ["open", "write", "chmod", "rename"])
def test_each_of_them_may_fail(what: str) -> None:
    steps_of()
    number = steps_of().index(what) + 1
    Path("new", "file").write_text("old")
    with pytest.raises(OutputError, match="cannot write new/file"):
        steps_of("fail", number)
    assert Path("new", "file").read_text() == "old"
    assert [path.name for path in Path("new").iterdir()] == ["file"]


def test_making_a_folder_may_fail() -> None:
    with pytest.raises(OutputError, match="cannot write new/file: No space left"):
        steps_of("fail", 1)
    assert not Path("new").exists()


def test_a_write_is_cut_short_for_good() -> None:
    with (
        disturb(disturbance := Disturbance("full", 2)),
        pytest.raises(OSError, match="No space left") as told,
        Path("file").open("wb") as file,
    ):
        file.write(b"12345678")
    assert told.value.errno == errno.ENOSPC
    assert disturbance.steps[:2] == ["open", "write"]
    assert Path("file").read_bytes()[:4] == b"1234"


def test_the_lock_and_what_is_removed_are_steps() -> None:
    with disturb(disturbance := Disturbance("count", 0)), locked(Path("out")):
        assert Path("out", LOCK).exists()
    assert disturbance.steps[:2] == ["mkdir", "open"]
    assert "write" in disturbance.steps
    assert disturbance.steps[-2:] == ["unlink", "rmdir"]
    with (
        disturb(Disturbance("fail", 1)),
        pytest.raises(OutputError, match="cannot write into out"),
        locked(Path("out")),
    ):
        pass


def test_what_is_elsewhere_or_not_there_is_no_step(tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    Path("there").mkdir()
    with disturb(disturbance := Disturbance("full", 1)):
        (elsewhere / "file").write_text("1")
        Path("there").mkdir(exist_ok=True)
        Path("absent").unlink(missing_ok=True)
        Path("/proc/self/comm").write_text("torture")
    assert disturbance.steps == []


def test_pieces_that_are_taken_up_are_seen() -> None:
    with watched() as taken:
        checkpoints = Checkpoints("out/" + UNFINISHED).of("key")
        checkpoints.save("choose", lambda: Checkpoint({"a": 1}))
        assert checkpoints.load("refit") is None
        assert taken == []
        assert checkpoints.load("choose") is not None
        part = checkpoints.under("split-2-")
        assert part.load("choose") is None
        part.save("choose", lambda: Checkpoint({"a": 2}))
        assert part.load("choose") is not None
    assert taken == ["choose", "split-2-choose"]
    assert whole_checkpoints(Path()) == {"choose", "split-2-choose"}
    file = next(Path("out").rglob("*/choose.piece"))
    file.write_bytes(file.read_bytes()[:-1])
    assert whole_checkpoints(Path()) == {"split-2-choose"}


def second(said: str = GOING_ON, taken: tuple[str, ...] = ("choose",), **other: object) -> SecondStart:
    settings = {"status": 0, "said": said, "taken": frozenset(taken), "files": WHOLE, "left": ()} | other
    return SecondStart(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("checkpoints", "start", "words"),
    [
        ({"choose"}, second(), []),
        (set(), second("read\n", ()), []),
        ({"choose"}, second("read\n"), ["began anew, although there was choose"]),
        ({"choose", "refit"}, second(), ["did not take up refit"]),
        (set(), second(taken=()), ["says that it goes on, and there was nothing"]),
        ({"choose"}, second(status=1), ["status 1"]),
        ({"choose"}, second(files={"run.json": b"["}), ["other files: ['run.json']"]),
        ({"choose"}, second(left=(UNFINISHED,)), ["left behind: .unfinished"]),
    ],
)
def test_a_second_start_must_go_on(checkpoints: set[str], start: SecondStart, words: list[str]) -> None:
    assert faults({}, frozenset(checkpoints), start, WHOLE) == words


def test_a_file_that_a_kill_tore_is_seen() -> None:
    assert faults({"run.json": b"{"}, frozenset(), second("", ()), WHOLE) == ["torn by the kill: ['run.json']"]


def test_only_sigkill_is_a_kill() -> None:
    def process(code: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", code], text=True, stderr=subprocess.PIPE)

    assert _killed_after(0.1, process("import time; time.sleep(60)"))[0] == -signal.SIGKILL
    assert _killed_after(60, process("")) == (0, "")


def test_kills_are_spread() -> None:
    jobs = [SAMPLE_PLUS, CHAMELEON]
    assert shares(50, jobs) == {SAMPLE: 35, SAMPLE_PLUS: 10, CHAMELEON: 5}
    assert shares(50, [SAMPLE_PLUS]) == {SAMPLE: 40, SAMPLE_PLUS: 10}
    assert shares(3, jobs) == {SAMPLE: 3}
    assert spread(79, None) == list(range(1, 80))
    assert spread(79, 3) == [1, 40, 79]


@pytest.mark.parametrize(
    ("status", "said", "problems"),
    [
        (0, "read\n", []),
        (5, "read\npulink: cannot write out\n", []),
        (5, "read out\n", ["no last line that says why"]),
        (5, "pulink: Input/output error\n", ["a last line that does not say where"]),
        (5, "pulink: out\npulink: out\n", ["no last line that says why"]),
        (1, "Traceback (most recent call last)\n", ["status 1", "a traceback"]),
    ],
)
def test_how_a_run_on_a_failing_disk_may_end(status: int, said: str, problems: list[str]) -> None:
    assert unclear(status, said) == problems


def test_disks_that_cannot_be_made_are_told_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(writes, "undisturbed", lambda *_, **__: (0, ""))
    told = on_real_disks(FailingDisk(tmp_path))
    assert list(told) == ["NOT TRIED"]
    assert os.strerror(errno.ENOENT) in told["NOT TRIED"]
