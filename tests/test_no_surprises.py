"""No network, and no writes outside of --out and the cache; torture/surprises.py has the long form."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from torture import surprises

from pulink.system.user_cache import cache_folder, keep_libraries_quiet, writable_cache


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder; kernels that were compiled before are taken from where they are."""
    surprises.prepare(tmp_path)
    kernels = cache_folder("kernels")
    assert kernels is not None
    (tmp_path / "cache" / "pulink").mkdir()
    (tmp_path / "cache" / "pulink" / "kernels").symlink_to(kernels)
    return tmp_path


def test_every_command_stays_at_home_and_what_goes_elsewhere_is_seen(folder: Path) -> None:
    commands = surprises.every_command(folder, is_short=True)
    elsewhere = ["find", str(folder / "edges.csv"), "--method", "l3n", "--out", str(folder / "else"), "--quiet"]
    found = surprises.watched(folder, [*commands, elsewhere])
    assert any(str(folder / "else" / "run.json") in one for one in found)
    assert [one for one in found if str(folder / "else") not in one] == []
    assert list((folder / "home").iterdir()) == []


def event(name: str, *paths: str, words: str = "") -> dict[str, object]:
    return {"event": name, "paths": list(paths), "words": words}


def test_what_counts_as_a_surprise(tmp_path: Path) -> None:
    out, kernels = tmp_path / "out-1", tmp_path / "cache" / "pulink" / "kernels"
    out.mkdir()
    expected = [
        event("open", str(out / "run.json")),
        event("open", str(kernels / "a.nbi")),
        event("open", str(tmp_path), words="unnamed"),
        event("open", "/proc/self/clear_refs"),
        event("os.rename", str(out / ".a"), str(out / "a")),
        event("subprocess.Popen", words=repr((sys.executable, ["-P", "trial.py"]))),
    ]
    strange = [
        event("open", str(tmp_path / "home" / "x")),
        event("open", str(out / ".." / "x")),
        event("open", f"{out}x"),
        event("os.rename", str(out / "a"), "/etc/passwd"),
        event("os.mkdir", str(tmp_path / "cache" / "other")),
        event("socket.connect", words="('192.0.2.1', 80)"),
        event("socket.getaddrinfo", words="example"),
        event("subprocess.Popen", words="('/bin/sh',)"),
    ]
    assert surprises.judged(expected, tmp_path) == []
    assert len(surprises.judged(strange, tmp_path)) == len(strange)


@pytest.mark.parametrize(
    ("line", "is_strange"),
    [
        ('7 openat(AT_FDCWD</w>, "OUT/run.json", O_RDWR|O_CREAT, 0600) = 3</w>', False),
        ('7 openat(AT_FDCWD</w>, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3', False),
        ('7 openat(AT_FDCWD</w>, "/etc/passwd", O_RDWR) = -1 EACCES (Permission denied)', False),
        ('7 unlinkat(4<OUT/model>, "a", 0) = 0', False),
        ("7 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 7", False),
        ('7 openat(AT_FDCWD</w>, "notes", O_WRONLY|O_CREAT, 0600 <unfinished ...>', True),
        ('7 rename("OUT/a", "/b") = 0', True),
        ('7 unlinkat(4</home>, "a", 0) = 0', True),
        ("7 socket(AF_INET, SOCK_STREAM, 0) = 7", True),
        ('7 execve("/bin/sh", ["sh"], 0x1 /* 9 vars */) = 0', True),
    ],
)
def test_system_calls_are_judged_as_well(line: str, is_strange: bool, tmp_path: Path) -> None:
    (tmp_path / "out-1").mkdir()
    assert surprises._is_strange(line.replace("OUT", str(tmp_path / "out-1")), tmp_path) is is_strange


def test_the_cache_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = writable_cache("kernels")
    assert folder == tmp_path / "pulink" / "kernels"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    assert writable_cache("kernels") is None, "others could put code there"
    folder.chmod(0o755)
    assert writable_cache("kernels") == folder
    if os.getuid() == 0:
        # The superuser's folders are trusted, so this one must be somebody else's in fact.
        os.chown(folder, 12_345, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert writable_cache("kernels") is None, "it is somebody else's"


def test_without_a_place_there_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    assert cache_folder("data") == tmp_path / "file" / ".cache" / "pulink" / "data"
    assert writable_cache("data") is None


def test_settings_of_the_user_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "mine")
    monkeypatch.delenv("JOBLIB_MULTIPROCESSING", raising=False)
    keep_libraries_quiet()
    assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == "mine"
    assert os.environ["JOBLIB_MULTIPROCESSING"] == "0"
    monkeypatch.delenv("JOBLIB_MULTIPROCESSING")


@pytest.mark.parametrize("home", ["", "here", "./here"])
def test_an_empty_or_relative_home_is_none(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder("kernels") is None
    assert writable_cache("kernels") is None
