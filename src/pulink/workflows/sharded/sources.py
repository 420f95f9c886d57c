"""Which parts a graph folder is made of, and what is there of it already."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulink.data.parts.part_files import list_parts
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, OutputError
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_summary import GRAPH_FILE
from pulink.system.files import remove_leftovers, write_atomically
from pulink.system.versions import source_digest, versions

_WORKING, _MADE_OF = "working", "made-of.json"
_KINDS = ("rows-*.safetensors", "names-*.safetensors", "features-*.safetensors")
# What of the package decides about the files of a graph folder.
_MAKING = ("data", "graph", "persistence", "system", "text.py", "workflows/sharded")


@dataclass(frozen=True)
class Source:
    """A table in parts."""

    root: Path
    format: str
    paths: list[Path]


def source_of(root: Path) -> Source:
    """The parts of a folder, or a single file."""
    return Source(Path(root), *list_parts(root))


def begun(
    folder: Path, sources: dict[str, Source], options: ReadOptions, sizes: dict[str, Any]
) -> tuple[Path, ShardedGraph | None]:
    """The working folder, and the graph folder if it is whole and of the same parts; others are removed."""
    key = parts_key(sources, options, sizes)
    if _made_of(folder) == key and (folder / GRAPH_FILE).exists():
        try:
            return folder / _WORKING / key, ShardedGraph.open(folder)
        except InputError:
            (folder / GRAPH_FILE).unlink()
    working = folder / _WORKING / key
    try:
        if _made_of(folder) != key or not working.is_dir():
            _refuse_strangers(folder)
            (folder / GRAPH_FILE).unlink(missing_ok=True)
            shutil.rmtree(folder / _WORKING, ignore_errors=True)
            for pattern in _KINDS:
                for path in folder.glob(pattern):
                    path.unlink()
            write_atomically(folder / _MADE_OF, json.dumps({"key": key}) + "\n")
        working.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}") from error
    remove_leftovers(folder)
    remove_leftovers(working)
    return working, None


def _made_of(folder: Path) -> str | None:
    try:
        return str(json.loads((folder / _MADE_OF).read_text())["key"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _refuse_strangers(folder: Path) -> None:
    """Nothing that pulink did not write is ever removed."""
    if not folder.is_dir() or _made_of(folder) is not None:
        return
    found = next(iter(sorted(folder.iterdir())), None)
    if found is not None:
        raise OutputError(f"cannot write {folder}: it holds {found.name!r}, which pulink did not write there")


def parts_key(sources: dict[str, Source], options: ReadOptions, sizes: dict[str, Any]) -> str:
    """A digest of all that decides about the files: of parts their names, sizes and times."""
    parts = {}
    for table, source in sources.items():
        told = [(path, path.stat()) for path in source.paths]
        parts[table] = [[str(path.absolute()), one.st_size, one.st_mtime_ns] for path, one in told]
    made_of = [parts, repr(sorted(options.given().items())), sizes, versions(), source_digest(_MAKING)]
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]
