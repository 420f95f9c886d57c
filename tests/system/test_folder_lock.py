"""Two processes, one folder."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pulink.errors import OutputError
from pulink.system.folder_lock import LOCK, locked

HOLDER = """
import sys, time
from pathlib import Path
from pulink.system.folder_lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    first = holder(tmp_path)
    with first:
        with (
            pytest.raises(OutputError, match=rf"^{tmp_path}: process {first.pid} on .* is writing there"),
            locked(tmp_path),
        ):
            pass
        first.kill()


def test_a_process_that_was_killed_keeps_nobody_out(tmp_path: Path) -> None:
    first = holder(tmp_path)
    with first:
        first.send_signal(signal.SIGKILL)
    assert (tmp_path / LOCK).exists()
    with locked(tmp_path):
        assert (tmp_path / LOCK).read_text().startswith(f"process {os.getpid()} on ")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_stay_empty_are_removed_again(tmp_path: Path) -> None:
    with locked(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()
    assert list(tmp_path.iterdir()) == []
    with locked(tmp_path / "a" / "b"):
        (tmp_path / "a" / "b" / "file").write_text("kept")
    assert (tmp_path / "a" / "b" / "file").read_text() == "kept"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write into"), locked(tmp_path / "file" / "out"):
        pass


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_what_is_no_lock_is_left_alone(tmp_path: Path, kind: str) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("years of work")
    folder = tmp_path / "out"
    folder.mkdir()
    place = folder / LOCK
    {
        "link": lambda: place.symlink_to(precious),
        "hard link": lambda: place.hardlink_to(precious),
        "pipe": lambda: os.mkfifo(place),
        "folder": place.mkdir,
    }[kind]()
    with pytest.raises(OutputError, match=f"^cannot write into {folder}: "), locked(folder):
        pass
    assert precious.read_text() == "years of work"


def test_a_disk_without_locks_is_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", cannot)
    with pytest.raises(OutputError, match=r"cannot be locked \(No locks available\)"), locked(tmp_path):
        pass


def test_a_full_disk_still_has_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with locked(tmp_path):
        assert (tmp_path / LOCK).read_text() == ""
    assert list(tmp_path.iterdir()) == []


def refusing(monkeypatch: pytest.MonkeyPatch, *modes: int) -> None:
    """As if locks that are there belonged to another user; what is removed and made anew is ours."""
    opened, strange = os.open, []

    def open_number(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if str(path).endswith(LOCK) and Path(path).exists():
            number = Path(path).stat().st_ino
            strange.extend([] if strange else [number])
            if number in strange and flags & os.O_ACCMODE in modes:
                raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, flags, *arguments, **named)

    monkeypatch.setattr("os.open", open_number)


def test_a_stale_lock_of_another_user_keeps_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LOCK).write_text("process 1 on another")
    refusing(monkeypatch, os.O_RDWR)
    with locked(tmp_path):
        assert (tmp_path / LOCK).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_stale_lock_that_cannot_be_removed_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / LOCK
    lock.write_text("process 1 on another")
    refusing(monkeypatch, os.O_RDWR)

    def cannot(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "unlink", cannot)
    with locked(tmp_path), lock.open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert lock.read_text() == "process 1 on another"


def test_a_lock_that_another_user_holds_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = holder(tmp_path)
    with first:
        refusing(monkeypatch, os.O_RDWR)
        with pytest.raises(OutputError, match=rf"process {first.pid} on .* is writing there"), locked(tmp_path):
            pass
        first.kill()


def test_a_lock_that_cannot_even_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LOCK).write_text("")
    refusing(monkeypatch, os.O_RDWR, os.O_RDONLY)
    with pytest.raises(OutputError, match=rf"{LOCK} there belongs to somebody else"), locked(tmp_path):
        pass
