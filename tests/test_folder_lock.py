"""Two processes, one folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pulink.errors import OutputError
from pulink.folder_lock import LOCK, locked

HOLDER = """
import sys, time
from pathlib import Path
from pulink.folder_lock import locked
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
        with pytest.raises(OutputError, match=rf"process {first.pid} on .* is writing there"), locked(tmp_path):
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
