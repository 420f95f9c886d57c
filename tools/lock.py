"""requirements*.lock: for every pin, the SHA-256 of each file that pip may install for it.

    python -m tools.lock                  writes the locks from the pins of constraints.txt
    python -m tools.lock --check          says what would change; exit status 1 if anything would

requirements.lock has all but PyTorch, which comes in two builds: requirements-cpu.lock or requirements-gpu.lock
goes with it (the latter with what the GPU build needs besides, from pins of its own).

The files are asked of the indexes that pip is set up with; nothing but pages of links is downloaded. Wheels only:
a source package is built with whatever its build asks for, which no hash covers. Of the wheels, those for CPython
3.11 to 3.14 on Linux and macOS. A file that lies on disk (pip's find-links) is hashed here.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from pulink.system.files import sha256, write_atomically

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
LOCK, CPU_LOCK, GPU_LOCK = (ROOT / f"requirements{kind}.lock" for kind in ("", "-cpu", "-gpu"))
TORCH = "torch"

_PYTHONS = range(11, 15)
_SYSTEMS = re.compile(r"any|manylinux.*_(x86_64|aarch64)|macosx_.*_(arm64|universal2)")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s\\]+)", re.MULTILINE)
_ABOUT = {
    LOCK: "Every pin of constraints.txt but PyTorch, with the hashes of its wheels",
    CPU_LOCK: "PyTorch without CUDA: its own CPU build for Linux (Python 3.11 on x86-64), and macOS",
    GPU_LOCK: "PyTorch's GPU build for Linux and what it needs, several GB",
}

Pins = dict[str, str]
Files = dict[str, str]


def pins_of(text: str) -> Pins:
    """Name (in its canonical spelling) -> version."""
    return {canonicalize_name(name): version for name, version in _PIN.findall(text)}


def files_of(lock: str) -> dict[str, Files]:
    """Name -> file -> SHA-256, as a lock says."""
    found = {}
    for part in re.split(r"\n(?=\S)", lock):
        if pin := _PIN.match(part):
            names = re.findall(r"^    # (\S+\.whl)$", part, re.MULTILINE)
            hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})\b", part)
            found[str(canonicalize_name(pin[1]))] = dict(zip(names, hashes, strict=True))
    return found


def lock_text(about: str, pins: Pins, files: dict[str, Files]) -> str:
    """The lock: each package's hashes, then the names of the files they belong to, in the same order."""
    lines = [f"# {about}.", "# Made by python -m tools.lock; make setup-hashed installs from it.", ""]
    for name in sorted(pins):
        hashes = [f"    --hash=sha256:{files[name][file]}" for file in sorted(files[name])]
        lines.append(" \\\n".join([f"{name}=={pins[name]}", *hashes]))
        lines += [f"    # {file}" for file in sorted(files[name])]
    return "\n".join(lines) + "\n"


class Indexes:
    """The package indexes as pip sees them: its settings, its session, its reading of pages.

    pip has no command that lists the files of a release, so its insides are used; they may change with pip.
    """

    def __init__(self) -> None:
        from pip._internal.commands import create_command

        command: Any = create_command("download")
        options, _ = command.parse_args(["pip"])
        self._context = command.main_context()
        self._context.__enter__()
        self._finder = command._build_package_finder(options, command.get_default_session(options))

    def wheels(self, name: str, version: str) -> Files:
        """File -> SHA-256 of the wheels of a release that may be installed."""
        found: Files = {}
        for link in self._links(name):
            if _is_wanted(link.filename, name, version):
                digest = sha256(Path(link.file_path)) if link.is_file and not link.hash else link.hash
                if link.hash_name not in (None, "sha256") or found.setdefault(link.filename, digest) != digest:
                    raise SystemExit(f"{link.filename}: two indexes offer different files, or no SHA-256")
        if not found:
            raise SystemExit(f"{name}=={version}: no wheel found")
        return found

    def _links(self, name: str) -> Iterator[Any]:
        from pip._internal.exceptions import NetworkConnectionError
        from pip._internal.index.collector import parse_links
        from pip._internal.models.link import Link
        from pip._internal.utils.urls import path_to_url

        for url in self._finder.search_scope.get_index_urls_locations(name):
            try:
                page = self._finder._link_collector.fetch_response(Link(url))
            except NetworkConnectionError as error:
                raise SystemExit(f"{name}: {error}") from error
            yield from () if page is None else parse_links(page)
        for place in self._finder.find_links:
            yield from (Link(path_to_url(str(path))) for path in sorted(Path(place).glob("*.whl")))


def _is_wanted(file: str, name: str, version: str) -> bool:
    try:
        wheel_name, given, _, tags = parse_wheel_filename(file)
    except (InvalidWheelFilename, InvalidVersion):
        return False
    # "==2.13.0" also takes 2.13.0+cpu, which pip prefers where it finds it.
    is_release = wheel_name == canonicalize_name(name) and given.public == str(Version(version).public)
    return is_release and any(_is_installable(tag) for tag in tags)


def _is_installable(tag: Tag) -> bool:
    if not _SYSTEMS.fullmatch(tag.platform):
        return False
    if tag.interpreter == "py3":
        return True
    minor = re.fullmatch(r"cp3(\d+)", tag.interpreter)
    if minor is None:
        return False
    return int(minor[1]) <= _PYTHONS[-1] if tag.abi == "abi3" else tag.abi in {f"cp3{k}" for k in _PYTHONS}


def all_pins() -> dict[Path, Pins]:
    """The pins of each lock."""
    pins = pins_of(CONSTRAINTS.read_text())
    torch = {TORCH: pins.pop(TORCH)}
    return {LOCK: pins, CPU_LOCK: torch, GPU_LOCK: pins_of(GPU_LOCK.read_text()) | torch}


def _belongs(file: str, lock: Path) -> bool:
    """PyPI has the GPU build for Linux, and for macOS the only one; PyTorch's CPU build says so in its version."""
    needs_cuda = file.startswith(f"{TORCH}-") and "+cpu" not in file and "linux" in file
    return needs_cuda == (lock == GPU_LOCK) or not file.startswith(f"{TORCH}-")


def _text(indexes: Indexes, lock: Path, pins: Pins) -> str:
    files = {}
    for name, version in pins.items():
        wheels = indexes.wheels(name, version)
        files[name] = {file: digest for file, digest in wheels.items() if _belongs(file, lock)}
    return lock_text(_ABOUT[lock], pins, files)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.lock", description="Write the hash-checked locks.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit status 1 if anything would")
    is_check = parser.parse_args().check
    indexes, n_changed = Indexes(), 0
    for lock, pins in all_pins().items():
        text = _text(indexes, lock, pins)
        is_same = lock.is_file() and lock.read_text() == text
        n_changed += not is_same
        words = "as it was" if is_same else "would change" if is_check else "written"
        sys.stdout.write(f"{lock.name}: {len(pins)} packages, {text.count('--hash')} files; {words}\n")
        if not is_check:
            write_atomically(lock, text)
    return 1 if is_check and n_changed else 0


if __name__ == "__main__":
    sys.exit(main())
