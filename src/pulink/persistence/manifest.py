"""The list of what a model folder holds: by it, a folder that pulink wrote is told from any other."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from pulink.system.files import read_regular

MANIFEST = "manifest.json"

# All that a saved model has ever been made of; the first two belong to every model.
MODEL_FILES = ("model.json", "tensors.safetensors", "names.parquet", "features.parquet", "recipe.json")

_EVERY_FILE = (MANIFEST, *MODEL_FILES)
# What desktops leave in every folder, macOS also beside every file on a foreign disk.
_DESKTOP = (".DS_Store", ".directory")
_LITTER = {*_DESKTOP, *(f"._{name}" for name in (*_EVERY_FILE, *_DESKTOP))}
_LARGEST_LITTER = 100_000
_LARGEST_MANIFEST = 100_000
_LARGEST_PARTS = 60_000_000


def stranger(folder: Path) -> str | None:
    """The name of something in a folder that no saved model put there; None if there is nothing."""
    if (files := _sharded_files(folder / MANIFEST)) is not None:
        return _stranger_among(folder, folder, files)
    listed = _listed(folder / MANIFEST)
    return next((path.name for path in sorted(folder.iterdir()) if not _is_known(path, listed)), None)


def _is_known(path: Path, listed: set[str]) -> bool:
    """No folder is, nor a link: what they hold may be anything."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        return False
    return path.name in listed or (path.name in _LITTER and status.st_size <= _LARGEST_LITTER)


def _listed(manifest: Path) -> set[str]:
    """Of any format that there has been; nothing if it is no manifest of a model."""
    try:
        content = json.loads(read_regular(manifest, _LARGEST_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return set()
    sums = content.get("sha256") if isinstance(content, dict) and isinstance(content.get("format"), int) else None
    if not isinstance(sums, dict) or not set(MODEL_FILES[:2]) <= sums.keys():
        return set()
    return {MANIFEST, *sums} & set(_EVERY_FILE)


def _sharded_files(manifest: Path) -> set[str] | None:
    """What the model folder of a graph in parts holds, by names from it; None if it is none."""
    try:
        told = json.loads(read_regular(manifest, _LARGEST_PARTS))
        if told.get("sharded") is not True:
            return None
        graph = json.loads(read_regular(manifest.parent / "graph" / "graph.json", _LARGEST_PARTS))
        return {MANIFEST, *told["files"], *(f"graph/{name}" for name in graph["files"])}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _stranger_among(folder: Path, place: Path, files: set[str]) -> str | None:
    for path in sorted(place.iterdir()):
        name, status = path.relative_to(folder).as_posix(), path.lstat()
        if stat.S_ISDIR(status.st_mode) and any(file.startswith(f"{name}/") for file in files):
            if (found := _stranger_among(folder, path, files)) is not None:
                return found
        elif not (stat.S_ISREG(status.st_mode) and (name in files or path.name in _LITTER)):
            return name
    return None
