"""What everybody who makes pieces of a graph folder has to know, and the files that pieces leave to others.

Blocks are parts of parts, ranges are nodes that follow one another in the order of their names. Both depend on the
parts alone, and never on who does the work.

    BLOCK-names.safetensors    the different names of a block, in order
    BLOCK-cut.safetensors      the same, by ranges
    BLOCK-cells.safetensors    its rows, with names as places among them (int32), and weights or values
    RANGE-places.safetensors   the names of all blocks that belong to a range, as places in it
    BLOCK-halves.safetensors   its rows in both directions, ordered by range
    STEP-PIECE.done            what a step told of a piece that is done; written last
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pulink.data.parts.layout import Layout
from pulink.persistence.checkpoints import Checkpoint, sealed_bytes
from pulink.persistence.sharded_names import TEXT, WHOLE
from pulink.system.files import write_atomically

EDGES, NODES = "edges", "nodes"

Make = Callable[["Plan", Checkpoint], Checkpoint]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is known so far.

    folder     where the graph folder is made
    working    where pieces leave files for others, on storage that all of them see
    layouts    of the tables of edges and of nodes
    readings   how names of either are read
    is_whole   whether all names are whole numbers
    splitters  the first name of each range but the first
    blocks     of which table each is, and what its files are called
    firsts     the first node of every range, and how many there are
    columns    of features, as `data.columns.encodings` writes them
    """

    folder: Path
    working: Path
    layouts: dict[str, Layout]
    readings: dict[str, str] = field(default_factory=dict)
    is_whole: bool = False
    splitters: list[Any] = field(default_factory=list)
    blocks: list[tuple[str, str]] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    columns: list[dict[str, Any]] = field(default_factory=list)

    def packed(self) -> Checkpoint:
        """As plain values."""
        return Checkpoint(
            {
                "folder": str(self.folder),
                "working": str(self.working),
                "layouts": {table: layout.to_json() for table, layout in self.layouts.items()},
                "readings": self.readings,
                "is_whole": self.is_whole,
                "splitters": self.splitters,
                "blocks": self.blocks,
                "firsts": self.firsts,
                "columns": self.columns,
            }
        )

    @classmethod
    def unpacked(cls, packed: Checkpoint) -> Plan:
        """What `packed` gave."""
        told = dict(packed.plain)
        told.pop("clock", None)
        told["folder"], told["working"] = Path(told["folder"]), Path(told["working"])
        told["layouts"] = {table: Layout.from_json(layout) for table, layout in told["layouts"].items()}
        told["blocks"] = [(table, called) for table, called in told["blocks"]]
        return cls(**told)

    @property
    def n_ranges(self) -> int:
        """Of nodes."""
        return len(self.splitters) + 1

    @property
    def called(self) -> str:
        """By what nodes are called, before it is known whether numbers have gaps."""
        return WHOLE if self.is_whole else TEXT

    @cached_property
    def splitting(self) -> pl.Series:
        """The first name of each range but the first."""
        return pl.Series("name", self.splitters, dtype=pl.Int64 if self.is_whole else pl.String)

    def names_file(self, block: str) -> Path:
        """The different names of a block."""
        return self.working / f"{block}-names.safetensors"

    def cut_file(self, block: str) -> Path:
        """The same by ranges."""
        return self.working / f"{block}-cut.safetensors"

    def cells_file(self, block: str) -> Path:
        """Its rows."""
        return self.working / f"{block}-cells.safetensors"

    def halves_file(self, block: str) -> Path:
        """Its rows in both directions."""
        return self.working / f"{block}-halves.safetensors"

    def places_file(self, k: int) -> Path:
        """Names of blocks as places in range k."""
        return self.working / f"range-{k:05d}-places.safetensors"

    def done_file(self, step: str, k: int) -> Path:
        """What a step told of piece k."""
        return self.working / f"{step}-{k:06d}.done"


def kept(step: str, make: Make) -> Make:
    """The same, which writes down what it told once its files are there."""

    def made(plan: Plan, piece: Checkpoint) -> Checkpoint:
        told = make(plan, piece)
        write_atomically(plan.done_file(step, piece.plain["k"]), sealed_bytes(told))
        return told

    return made
