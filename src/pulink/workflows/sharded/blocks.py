"""What is done with every part and every block: read it, and turn names into numbers once these are known."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.formats.sources import label
from pulink.data.parts.cells import (
    AS_WRITTEN,
    Traits,
    edge_cells,
    node_cells,
    read_names,
    rows_of_part,
)
from pulink.data.parts.part_files import TEXT
from pulink.data.parts.survey import survey
from pulink.distributed.task import Task
from pulink.persistence.array_file import ArrayFile, write_arrays
from pulink.persistence.checkpoints import Checkpoint
from pulink.text import shown
from pulink.workflows.sharded import block_names
from pulink.workflows.sharded.node_columns import repeated
from pulink.workflows.sharded.plan import EDGES, Plan, kept

_HOME = "pulink.workflows.sharded.blocks"


def _survey(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Part k: how much there is of it, and where."""
    layout = plan.layouts[piece.plain["table"]]
    unpacked = plan.working / f"part-{piece.plain['k']:06d}.txt"
    return Checkpoint(asdict(survey(Path(piece.plain["path"]), layout, unpacked)))


def _read(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Block k: its different names, and its rows as places among them."""
    told = piece.plain
    layout = plan.layouts[told["table"]]
    where = label(told["part"])
    table = rows_of_part(Path(told["path"]), where, layout, told["first"], told["end"])
    arrays: dict[str, npt.NDArray[Any]] = {}
    answer: dict[str, Any] = {}
    if told["table"] == EDGES:
        cells = edge_cells(table, layout)
        columns = cells.names
        if cells.weights is not None:
            arrays["weights"] = cells.weights
    else:
        nodes = node_cells(table, layout)
        columns = [nodes.ids]
        arrays["values"] = nodes.values
        answer["values"] = [asdict(one) for one in nodes.traits]
    traits = Traits.of(columns, is_text=layout.format == TEXT, is_first=told["is_first"])
    names, places = block_names.distinct(columns, whole=traits.whole)
    if told["table"] == EDGES:
        arrays["places"] = places
    else:
        if names.len() < len(places):
            seen = pl.Series(places[:, 0]).is_first_distinct()
            row = int((~seen).arg_true()[0])
            raise table.fail(row, f"node {shown(str(columns[0][row]))} stands in the table more than once")
        arrays["values"] = arrays["values"][np.argsort(places[:, 0])]
    block_names.write_names(plan.names_file(told["block"]), names)
    write_arrays(plan.cells_file(told["block"]), arrays)
    some = pl.concat([column.gather_every(told["every"]).cast(pl.String).alias("name") for column in columns])
    answer |= {"n_rows": len(places), "traits": asdict(traits), "sample": some.to_list()}
    return Checkpoint(answer)


def _cut(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Block k: which of its names belong to each range; names are read as those of the whole table."""
    table, block = piece.plain["table"], piece.plain["block"]
    names = block_names.read_names(plan.names_file(block))
    reading, is_text = plan.readings[table], names.dtype == pl.String
    if reading == AS_WRITTEN and is_text != plan.is_whole:
        return _by_ranges(plan, block, names)
    names, went = block_names.renamed(read_names(names, reading), whole=plan.is_whole)
    with ArrayFile(plan.cells_file(block)) as file:
        if table == EDGES:
            arrays = {"places": went[file.read("places")]}
            if "weights" in file:
                arrays["weights"] = file.read("weights")
        else:
            if names.len() < len(went):
                twice = names[int(np.flatnonzero(np.bincount(went) > 1)[0])]
                raise repeated(str(twice))
            values = file.read("values")
            arrays = {"values": np.empty_like(values)}
            arrays["values"][went] = values
    changed = f"{block}-read"
    write_arrays(plan.cells_file(changed), arrays)
    return _by_ranges(plan, changed, names)


def _by_ranges(plan: Plan, block: str, names: pl.Series) -> Checkpoint:
    cuts = block_names.cuts(names, plan.splitting)
    block_names.write_names(plan.cut_file(block), names, cuts)
    return Checkpoint({"block": block}, {"cuts": cuts})


def _halves(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Block k: its rows as node numbers, once from either end, ordered by the ranges that they begin in."""
    k, block = piece.plain["k"], piece.plain["block"]
    with ArrayFile(plan.cells_file(block)) as file:
        ends = _numbers(plan, k)[file.read("places")]
        weights = file.read("weights") if "weights" in file else None
    proper = ends[:, 0] != ends[:, 1]
    n_loops = len(ends) - int(proper.sum())
    if n_loops:
        ends = ends[proper]
        weights = None if weights is None else weights[proper]
    # A cell is the other end, with the orientation in its lowest bit.
    others = ends.astype(np.uint32) << np.uint32(1)
    rows = np.concatenate([ends[:, 0], ends[:, 1]])
    cells = np.concatenate([others[:, 1], others[:, 0] | np.uint32(1)])
    del ends, others
    owners = (np.searchsorted(np.array(plan.firsts), rows, side="right") - 1).astype(np.uint16)
    order = np.argsort(owners, kind="stable")
    cuts = np.zeros(plan.n_ranges + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=plan.n_ranges), out=cuts[1:])
    del owners
    arrays = {"rows": rows[order], "cells": cells[order], "cuts": cuts}
    if weights is not None:
        arrays["weights"] = np.concatenate([weights, weights])[order]
    write_arrays(plan.halves_file(block), arrays)
    return Checkpoint({"n_loops": n_loops})


def _numbers(plan: Plan, block: int) -> npt.NDArray[np.int32]:
    """The node that each name of a block is."""
    found = []
    for k in range(plan.n_ranges):
        with ArrayFile(plan.places_file(k)) as file:
            first, end = file.read("starts", block, block + 2).tolist()
            found.append(file.read("places", first, end) + np.int32(plan.firsts[k]))
    return np.concatenate(found)


SURVEY = Task(_HOME, "SURVEY", kept("survey", _survey), Plan.unpacked)
READ = Task(_HOME, "READ", kept("read", _read), Plan.unpacked)
CUT = Task(_HOME, "CUT", kept("cut", _cut), Plan.unpacked)
HALVES = Task(_HOME, "HALVES", kept("halves", _halves), Plan.unpacked)
