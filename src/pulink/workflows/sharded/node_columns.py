"""What a table of nodes says in its columns of numbers, as features of ranges of nodes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.columns.encodings import Column
from pulink.distributed.task import Task
from pulink.errors import InputError
from pulink.persistence.array_file import ArrayFile
from pulink.persistence.checkpoints import Checkpoint
from pulink.persistence.sharded_names import RangeNames
from pulink.persistence.sharded_summary import file_of
from pulink.persistence.sharded_writing import write_features
from pulink.text import shown
from pulink.workflows.sharded.plan import NODES, Plan, kept
from pulink.workflows.sharded.ranges import files_told

_HOME = "pulink.workflows.sharded.node_columns"

F64 = npt.NDArray[np.float64]


def repeated(name: str) -> InputError:
    """A node that the table describes twice."""
    return InputError(f"the node table: node {shown(name)} stands in the table more than once")


def _spread(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Block k: how many numbers each column has, their mean, and the squares of their differences from it.

    sizes  of each column, as powers of two: squares of 1e300 or 1e-300 are no numbers any more
    """
    with ArrayFile(plan.cells_file(piece.plain["block"])) as file:
        values = np.ldexp(file.read("values"), -piece.arrays["sizes"])
    known = ~np.isnan(values)
    counts = known.sum(axis=0)
    values[~known] = 0.0
    means = values.sum(axis=0) / np.maximum(counts, 1)
    squares = np.where(known, (values - means) ** 2, 0.0).sum(axis=0)
    low = np.where(known, values, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, values, -np.inf).max(axis=0, initial=-np.inf)
    stats = np.stack([counts.astype(np.float64), means, squares, low, high])
    return Checkpoint({}, {"stats": stats})


def merged(stats: list[F64]) -> F64:
    """The same of all blocks together, in their order."""
    total = stats[0].copy()
    for one in stats[1:]:
        n_before, n_more = total[0], one[0]
        count = n_before + n_more
        difference = one[1] - total[1]
        share = n_more / np.maximum(count, 1)
        total[2] += one[2] + difference**2 * n_before * share
        total[1] += difference * share
        total[0] = count
        total[3], total[4] = np.minimum(total[3], one[3]), np.maximum(total[4], one[4])
    return total


def _features(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Range k: encoded numbers of its nodes; those that the table does not name have none."""
    k = piece.plain["k"]
    n_rows = plan.firsts[k + 1] - plan.firsts[k]
    numbers, is_known = _gathered(plan, k, n_rows, piece.arrays["cuts"])
    out = np.empty((n_rows, sum(len(Column.from_json(told).labels) for told in plan.columns)), dtype=np.float32)
    place = 0
    for told in plan.columns:
        column = Column.from_json(told)
        if not column.labels:
            continue
        at = plan.layouts[NODES].values.index(told["name"])
        block = column.block(pl.Series(told["name"], numbers[:, at], nan_to_null=True)).toarray()
        out[:, place : place + block.shape[1]] = block
        place += block.shape[1]
    files = write_features(plan.folder, k, out)
    with ArrayFile(plan.folder / file_of("rows", k)) as file:
        is_linked = np.diff(file.read("indptr")) > 0
    return Checkpoint({"files": files_told(files), "n_linked": int((is_linked & is_known).sum())})


def _gathered(plan: Plan, k: int, n_rows: int, cuts: npt.NDArray[np.int64]) -> tuple[F64, npt.NDArray[np.bool_]]:
    """What the table has for the nodes of a range, and which of them it names."""
    numbers = np.full((n_rows, len(plan.layouts[NODES].values)), np.nan)
    is_known = np.zeros(n_rows, dtype=np.bool_)
    with ArrayFile(plan.places_file(k)) as places_file:
        starts = places_file.read("starts")
        for number, (table, block) in enumerate(plan.blocks):
            if table != NODES:
                continue
            places = places_file.read("places", int(starts[number]), int(starts[number + 1]))
            if is_known[places].any():
                place = int(places[is_known[places]][0])
                with ArrayFile(plan.folder / file_of("names", k)) as names:
                    raise repeated(RangeNames(names, plan.called, n_rows).at(place))
            is_known[places] = True
            with ArrayFile(plan.cells_file(block)) as file:
                numbers[places] = file.read("values", *cuts[number].tolist())
    return numbers, is_known


SPREAD = Task(_HOME, "SPREAD", kept("spread", _spread), Plan.unpacked)
FEATURES = Task(_HOME, "FEATURES", kept("features", _features), Plan.unpacked)
