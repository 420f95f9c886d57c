"""Writing: all of a file or folder, or none of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pulink.errors import OutputError
from pulink.system.files import (
    STAGED,
    check_file_target,
    check_replaceable,
    check_writable,
    remove_leftovers,
    sha256,
    staged_folder,
    write_atomically,
)


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def stranger(folder: Path) -> str | None:
    """Whatever is not called manifest."""
    return next((name for name in listed(folder) if name != "manifest"), None)


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_writing_makes_folders_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file.txt"
    write_atomically(path, "old")
    write_atomically(path, b"new")
    assert path.read_text() == "new"
    assert listed(path.parent) == ["file.txt"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_files_are_as_open_as_the_user_wants_them(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "new", "x")
        with staged_folder(tmp_path / "model", stranger=stranger) as staged:
            write_atomically(staged / "manifest", "x")
        (tmp_path / "private").write_text("old")
        (tmp_path / "private").chmod(0o600)
        write_atomically(tmp_path / "private", "new")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    modes = {
        name: (tmp_path / name).stat().st_mode & 0o777 for name in ("new", "model", "model/manifest", "private")
    }
    assert modes == {
        "new": 0o666 & ~mask,
        "model": 0o777 & ~mask,
        "model/manifest": 0o666 & ~mask,
        "private": 0o600,
    }


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_failing_write_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "file.txt"
    write_atomically(path, "old")
    monkeypatch.setattr(step, full_disk)
    with pytest.raises(OutputError, match=r"cannot write .*file.txt: No space left on device"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert listed(tmp_path) == ["file.txt"]


def test_an_interrupted_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "file.txt"
    write_atomically(path, "old")
    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert listed(tmp_path) == ["file.txt"]


def test_a_folder_appears_when_the_block_ends_well(tmp_path: Path) -> None:
    target = tmp_path / "a" / "model"
    with staged_folder(target, stranger=stranger) as staged:
        (staged / "manifest").write_text("1")
        assert not target.exists()
    with staged_folder(target, stranger=stranger) as staged:
        (staged / "manifest").write_text("2")
        assert (target / "manifest").read_text() == "1"
    assert (target / "manifest").read_text() == "2"
    assert listed(target.parent) == ["model"]


def test_a_folder_stays_as_it_was_when_the_block_fails(tmp_path: Path) -> None:
    target = tmp_path / "model"
    with staged_folder(target, stranger=stranger) as staged:
        (staged / "manifest").write_text("old")
    with pytest.raises(RuntimeError), staged_folder(target, stranger=stranger) as staged:
        (staged / "manifest").write_text("new")
        raise RuntimeError
    assert (target / "manifest").read_text() == "old"
    assert listed(tmp_path) == ["model"]


def test_a_folder_stays_as_it_was_when_the_swap_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "model"
    with staged_folder(target, stranger=stranger) as staged:
        (staged / "manifest").write_text("old")
    rename = Path.rename

    def refuse_new(path: Path, goal: Path) -> Path:
        if path.name.startswith(STAGED) and goal == target:
            full_disk()
        return rename(path, goal)

    monkeypatch.setattr("pulink.system.files._exchanged", lambda *_: False)
    monkeypatch.setattr(Path, "rename", refuse_new)
    with (
        pytest.raises(OutputError, match="No space left"),
        staged_folder(target, stranger=stranger) as staged,
    ):
        (staged / "manifest").write_text("new")
    assert (target / "manifest").read_text() == "old"
    assert listed(tmp_path) == ["model"]


def test_a_foreign_folder_is_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "thesis"
    target.mkdir()
    check_replaceable(target, stranger=stranger)
    (target / "chapter.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"it holds 'chapter.tex', which pulink did not write there"):
        check_replaceable(target, stranger=stranger)
    with pytest.raises(OutputError), staged_folder(target, stranger=stranger):
        pass
    assert (target / "chapter.tex").read_text() == "years of work"
    with pytest.raises(OutputError), staged_folder(target / "chapter.tex", stranger=stranger):
        pass
    assert (target / "chapter.tex").read_text() == "years of work"


def test_a_link_is_never_replaced_by_a_folder(tmp_path: Path) -> None:
    for name in ("there", "nowhere"):
        (tmp_path / name).symlink_to(tmp_path / "real")
        with pytest.raises(OutputError, match="it is a link; give the folder itself"):
            check_replaceable(tmp_path / name, stranger=stranger)
        (tmp_path / "real").mkdir(exist_ok=True)


def test_a_folder_in_the_place_of_a_file_is_seen_before_the_work(tmp_path: Path) -> None:
    check_file_target(tmp_path / "list.csv")
    (tmp_path / "list.csv").mkdir()
    with pytest.raises(OutputError, match=r"list.csv: it is a folder, and a file is to be made"):
        check_file_target(tmp_path / "list.csv")


def test_whether_a_folder_can_be_written_is_known_without_making_it(tmp_path: Path) -> None:
    check_writable(tmp_path)
    check_writable(tmp_path / "not" / "yet")
    assert not listed(tmp_path)
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OutputError, match=f"cannot write into {folder}: Not a directory"):
            check_writable(folder)


def test_a_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert sha256(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool) -> None:
    if not can_exchange:
        monkeypatch.setattr("pulink.system.files._exchanged", lambda *_: False)
    target = tmp_path / "model"
    for text in ("old", "new"):
        with staged_folder(target, stranger=stranger) as staged:
            (staged / "manifest").write_text(text)
    assert (target / "manifest").read_text() == "new"
    assert listed(tmp_path) == ["model"]


def test_leftovers_of_killed_writers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / f"{STAGED}abc").write_text("half")
    (tmp_path / f"{STAGED}folder").mkdir()
    (tmp_path / f"{STAGED}folder" / "file").write_text("half")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{STAGED}link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "mine.csv").write_text("whole")
    (tmp_path / "elsewhere" / f"{STAGED}deep").write_text("half")
    remove_leftovers(tmp_path)
    assert listed(tmp_path) == ["elsewhere", "mine.csv"]
    assert listed(tmp_path / "elsewhere") == [f"{STAGED}deep"]
    remove_leftovers(tmp_path, depth=1)
    assert listed(tmp_path / "elsewhere") == []
