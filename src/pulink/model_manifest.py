"""The list of what a model folder holds: by it, a folder that pulink wrote is told from any other."""

from __future__ import annotations

import json
from pathlib import Path

MANIFEST = "manifest.json"

# What desktops leave in every folder.
_LITTER = (".DS_Store", ".directory", "._")


def stranger(folder: Path) -> str | None:
    """The name of something in a folder that no saved model put there; None if there is nothing."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith(_LITTER))
    listed = _listed(folder / MANIFEST)
    return next((name for name in names if name not in listed), None)


def _listed(manifest: Path) -> set[str]:
    """Of any format that there has been; nothing if it is no manifest of a model."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return set()
    sums = content.get("sha256") if isinstance(content, dict) and isinstance(content.get("format"), int) else None
    return {MANIFEST, *sums} if isinstance(sums, dict) else set()
