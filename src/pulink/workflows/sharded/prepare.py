"""Parts -> graph folder: what no machine can hold, made by many, step by step, in pieces that need no others.

survey    every part: how much there is of it; gzipped ones are unpacked
read      every block: its different names, and its rows as places among them
cut       every block: which names belong to which range
number    every range: names -> node numbers
halves    every block: rows as node numbers, from either end
rows      every range: rows of neighbours
spread    every block of nodes: mean and spread of numbers
features  every range: encoded numbers

A step reads what the one before wrote. A process holds one block, or one range with what all blocks have for it.
Files of a working folder are removed when no step needs them any more.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.parts.cells import Traits, read_names
from pulink.data.parts.layout import edge_layout, node_layout, refuse_other_options
from pulink.data.parts.part_files import PARQUET
from pulink.data.parts.survey import refuse_doubtful_lines
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.engine.pace import Listener
from pulink.errors import InputError, ParameterError
from pulink.graph.edge_rows import Cleaning, check_size
from pulink.persistence.array_file import Written
from pulink.persistence.checkpoints import Checkpoint
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_names import COUNTED
from pulink.persistence.sharded_summary import file_of
from pulink.persistence.sharded_writing import Files, seal
from pulink.text import short_path
from pulink.workflows.sharded.blocks import CUT, HALVES, READ, SURVEY
from pulink.workflows.sharded.feature_columns import encoded_columns, refuse_strangers
from pulink.workflows.sharded.node_columns import FEATURES, SPREAD, merged
from pulink.workflows.sharded.plan import EDGES, NODES, Plan
from pulink.workflows.sharded.ranges import NUMBER, ROWS
from pulink.workflows.sharded.sources import Source, begun, source_of
from pulink.workflows.sharded.steps import Steps, heard, remove

Longs = npt.NDArray[np.int64]

_SHARES = {"survey": 5, "read": 40, "cut": 5, "number": 15, "halves": 20, "rows": 15, "spread": 1, "features": 4}
# Bytes of a line of text, for an estimate of how many rows there are.
_LINE = 20
# Rows by which each range is chosen.
_SAMPLED = 128


@dataclass(frozen=True)
class Sizes:
    """How much a process holds.

    rows, n_bytes  of a block: rows of Parquet, bytes of text
    entries        of a range, about; those of one node are never divided
    ranges         at least and at most, where names allow it
    """

    rows: int = 1 << 21
    n_bytes: int = 1 << 26
    entries: int = 1 << 23
    ranges: tuple[int, int] = (16, 4_096)


SIZES = Sizes()


def prepare(
    edges: Path,
    nodes: Path | None = None,
    options: ReadOptions = AS_FOUND,
    folder: Path = Path("graph"),
    listener: Listener | None = None,
    sizes: Sizes = SIZES,
) -> ShardedGraph:
    """The graph of a folder of parts, as `pulink.read` would have it of the same rows, in a graph folder.

    edges, nodes  folders of Parquet or text parts, or single files
    folder        on storage that all workers see; what is there already of the same parts is not made again
    listener      is told which share of the work is done
    """
    refuse_other_options(options)
    if nodes is None:
        for name in ("node_id", "kinds"):
            if getattr(options, name) is not None:
                raise ParameterError(f"{name} goes with a node table, and there is none")
    sources = {EDGES: source_of(edges)} | ({} if nodes is None else {NODES: source_of(nodes)})
    working, finished = begun(folder, sources, options, asdict(sizes))
    if finished is not None:
        return finished
    with heard(listener):
        made = _Preparation(folder.absolute(), working.absolute(), sources, options, sizes).made()
    shutil.rmtree(working.parent, ignore_errors=True)
    return made


class _Preparation:
    """One run of all steps."""

    def __init__(
        self, folder: Path, working: Path, sources: dict[str, Source], options: ReadOptions, sizes: Sizes
    ) -> None:
        self.sizes, self.sources, self.header = sizes, sources, options.header
        shares = {
            step: share
            for step, share in _SHARES.items()
            if NODES in sources or step not in ("spread", "features")
        }
        self.steps = Steps(shares)
        judges = {EDGES: edge_layout, NODES: node_layout}
        layouts = {
            table: judges[table](source.format, source.paths[0], options) for table, source in sources.items()
        }
        self.plan = Plan(folder, working, layouts)
        self.files: Files = {}

    def made(self) -> ShardedGraph:
        """The graph folder."""
        read = self._read()
        cuts = self._cut(read)
        counts = self._number(cuts)
        n_loops = self._halves()
        rows = self._rows()
        names = self._features(read, cuts)
        return self._seal(read, counts, n_loops, rows, names)

    def _note(self, told: Sequence[Checkpoint]) -> None:
        for one in told:
            for name, (n_bytes, sha256) in one.plain["files"].items():
                self.files[name] = Written(n_bytes, sha256)

    def _read(self) -> list[tuple[str, dict[str, Any]]]:
        """Every block with its table, and what reading it told."""
        parts = [(table, path) for table, source in self.sources.items() for path in source.paths]
        pieces = [
            Checkpoint({"k": k, "table": table, "path": str(path.absolute())})
            for k, (table, path) in enumerate(parts)
        ]
        found = self.steps.run(self.plan, SURVEY, pieces)
        _refuse_other_types(parts, [one.plain["types"] for one in found])
        if self.header is None:
            n_parts = len(self.sources[EDGES].paths)
            lines = [one.plain["first_line"] for one in found[:n_parts]]
            refuse_doubtful_lines(lines, short_path(self.sources[EDGES].root))
        blocks = []
        for (table, path), one in zip(parts, found, strict=True):
            blocks += [(table, path, one.plain, *place) for place in self._blocks(table, one.plain)]
        every = self._every(parts, [one.plain for one in found])
        pieces, seen = [], set()
        for k, (table, path, told, first, end) in enumerate(blocks):
            piece = {"k": k, "block": f"block-{k:06d}", "table": table, "path": told["path"], "part": str(path)}
            pieces.append(
                Checkpoint(piece | {"first": first, "end": end, "every": every, "is_first": table not in seen})
            )
            seen.add(table)
        read = self.steps.run(self.plan, READ, pieces)
        for one in found:
            if Path(one.plain["path"]).parent == self.plan.working:
                remove(Path(one.plain["path"]))
        self.plan = replace(self.plan, blocks=[(piece.plain["table"], piece.plain["block"]) for piece in pieces])
        every_block = [(table, one.plain) for (table, *_), one in zip(blocks, read, strict=True)]
        for table, source in self.sources.items():
            if not sum(one["n_rows"] for owner, one in every_block if owner == table):
                raise InputError(f"{short_path(source.root)}: has columns but no rows, so no {table}")
        return every_block

    def _blocks(self, table: str, told: dict[str, Any]) -> list[tuple[int, int]]:
        """Where the blocks of a part begin and end."""
        step = self.sizes.rows if self.sources[table].format == PARQUET else self.sizes.n_bytes
        return [(first, min(first + step, told["end"])) for first in range(told["first"], told["end"], step)]

    def _every(self, parts: list[tuple[str, Path]], found: list[dict[str, Any]]) -> int:
        """Of so many rows, one is looked at to choose ranges."""
        n_rows = 0
        for (table, _), told in zip(parts, found, strict=True):
            n_rows += (told["end"] - told["first"]) // (1 if self.sources[table].format == PARQUET else _LINE)
        return 1 + n_rows // (_SAMPLED * self._n_ranges(2 * n_rows))

    def _n_ranges(self, n_entries: int) -> int:
        """Into how many ranges names are cut, if there are as many."""
        least, most = self.sizes.ranges
        return min(max(-(-n_entries // self.sizes.entries), least), most)

    def _cut(self, read: list[tuple[str, dict[str, Any]]]) -> list[Longs]:
        """Where the names of each range begin in every block."""
        traits = {
            table: Traits.all_of(Traits(**told["traits"]) for owner, told in read if owner == table)
            for table in self.sources
        }
        self.plan = replace(
            self.plan,
            readings={table: one.reading for table, one in traits.items()},
            is_whole=all(one.are_numbers for one in traits.values()),
        )
        self.plan = replace(self.plan, splitters=self._splitters(read))
        pieces = [
            Checkpoint({"k": k, "table": table, "block": block})
            for k, (table, block) in enumerate(self.plan.blocks)
        ]
        cut = self.steps.run(self.plan, CUT, pieces)
        blocks = [(table, one.plain["block"]) for (table, _), one in zip(self.plan.blocks, cut, strict=True)]
        for (_, before), (_, after) in zip(self.plan.blocks, blocks, strict=True):
            remove(self.plan.names_file(before), *([self.plan.cells_file(before)] if before != after else []))
        self.plan = replace(self.plan, blocks=blocks)
        return [one.arrays["cuts"] for one in cut]

    def _splitters(self, read: list[tuple[str, dict[str, Any]]]) -> list[Any]:
        """First names of ranges with about as many entries in each."""
        reading = self.plan.readings
        samples = [
            read_names(pl.Series("name", told["sample"], dtype=pl.String), reading[table]) for table, told in read
        ]
        names = pl.concat(samples)
        names = (names.cast(pl.Int64) if self.plan.is_whole else names).sort()
        n_entries = 2 * sum(told["n_rows"] for table, told in read if table == EDGES)
        n_ranges = min(self._n_ranges(n_entries), names.len())
        places = [k * names.len() // n_ranges for k in range(1, n_ranges)]
        chosen = names.gather(places).unique().sort()
        return list(chosen.filter(chosen > names[0]).to_list())

    def _number(self, cuts: list[Longs]) -> dict[str, Any]:
        """Node numbers; what is told of names."""
        pieces = [
            Checkpoint({"k": k}, {"cuts": np.array([one[k : k + 2] for one in cuts])})
            for k in range(self.plan.n_ranges)
        ]
        told = self.steps.run(self.plan, NUMBER, pieces)
        self._note(told)
        firsts = [0, *accumulate(one.plain["n_names"] for one in told)]
        check_size(firsts[-1])
        self.plan = replace(self.plan, firsts=firsts)
        remove(*(self.plan.cut_file(block) for _, block in self.plan.blocks))
        last = [one.plain["last"] for one in told if one.plain["last"] is not None]
        return {"is_counted": self.plan.is_whole and last[-1] == firsts[-1] - 1}

    def _halves(self) -> int:
        """Rows as node numbers; how many join a node with itself."""
        pieces = [
            Checkpoint({"k": k, "block": block})
            for k, (table, block) in enumerate(self.plan.blocks)
            if table == EDGES
        ]
        told = self.steps.run(self.plan, HALVES, pieces)
        remove(*(self.plan.cells_file(block) for table, block in self.plan.blocks if table == EDGES))
        if NODES not in self.sources:
            remove(*(self.plan.places_file(k) for k in range(self.plan.n_ranges)))
        return sum(one.plain["n_loops"] for one in told)

    def _rows(self) -> list[dict[str, Any]]:
        """Rows of neighbours."""
        told = self.steps.run(self.plan, ROWS, [Checkpoint({"k": k}) for k in range(self.plan.n_ranges)])
        self._note(told)
        remove(*(self.plan.halves_file(block) for _, block in self.plan.blocks))
        return [one.plain for one in told]

    def _features(self, read: list[tuple[str, dict[str, Any]]], cuts: list[Longs]) -> tuple[str, ...] | None:
        """Features of all nodes; what their columns are called."""
        if NODES not in self.sources or not self.plan.layouts[NODES].values:
            return None
        values = self.plan.layouts[NODES].values
        where = short_path(self.sources[NODES].root)
        told = [one for table, one in read if table == NODES]
        traits = refuse_strangers(values, [one["values"] for one in told], where)
        sizes = np.frexp([one.largest for one in traits])[1].astype(np.int32)
        pieces = [
            Checkpoint({"k": k, "block": block}, {"sizes": sizes})
            for k, (table, block) in enumerate(self.plan.blocks)
            if table == NODES
        ]
        stats = merged([one.arrays["stats"] for one in self.steps.run(self.plan, SPREAD, pieces)])
        columns = encoded_columns(values, traits, stats, sizes, self.plan.firsts[-1], where)
        self.plan = replace(self.plan, columns=[column.to_json() for column in columns])
        pieces = [
            Checkpoint({"k": k}, {"cuts": np.array([one[k : k + 2] for one in cuts])})
            for k in range(self.plan.n_ranges)
        ]
        found = self.steps.run(self.plan, FEATURES, pieces)
        self._note(found)
        if not sum(one.plain["n_linked"] for one in found):
            raise InputError(f"{where}: none of its ids is an end of an edge")
        return tuple(label for column in columns for label in column.labels)

    def _seal(
        self,
        read: list[tuple[str, dict[str, Any]]],
        names: dict[str, Any],
        n_loops: int,
        rows: list[dict[str, Any]],
        feature_names: tuple[str, ...] | None,
    ) -> ShardedGraph:
        n_edges = sum(one["n_edges"] for one in rows)
        weights = [one["weight"] for one in rows if one["weight"] is not None]
        if names["is_counted"]:
            for k in range(self.plan.n_ranges):
                self.files.pop(file_of("names", k))
                remove(self.plan.folder / file_of("names", k))
        n_rows = sum(told["n_rows"] for table, told in read if table == EDGES)
        n_same, n_reversed = (sum(one[name] for one in rows) for name in ("n_same", "n_reversed"))
        return seal(
            self.plan.folder,
            self.files,
            ranges=self.plan.firsts,
            n_edges=n_edges,
            mean_weight=(sum(weights) / n_edges if n_edges else 1.0) if weights else None,
            feature_names=feature_names,
            called=COUNTED if names["is_counted"] else self.plan.called,
            cleaning=Cleaning(n_rows, n_same, n_reversed, n_loops),
        )


def _refuse_other_types(parts: list[tuple[str, Path]], types: list[list[str]]) -> None:
    """Names that are text in one part and numbers in another may be meant either way."""
    first: dict[str, tuple[Path, list[str]]] = {}
    for (table, path), found in zip(parts, types, strict=True):
        known, expected = first.setdefault(table, (path, found))
        if expected != found:
            raise InputError(
                f"{short_path(path)}: names of nodes are {found[0]} there, and {expected[0]} in {known.name}; all "
                "parts need the same"
            )
