"""SIF, the simple interaction format of Cytoscape: node, relation, and one or more nodes in each line."""

from __future__ import annotations

import polars as pl

from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.text import counted, shown


def sif_table(data: bytes, where: str) -> Table:
    """The edges of a SIF file, a row for each; nodes that stand alone have none."""
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: not UTF-8; save it as UTF-8 or pass its encoding (--encoding cp1252)"
        ) from error
    # By tabs alone where there are any: names may hold blanks then.
    by = "\t" if "\t" in data.decode() else None
    rows: list[tuple[str, str, str]] = []
    places: list[int] = []
    n_alone = 0
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().split(by)]
        if cells == [""] or line.startswith("#"):
            continue
        if len(cells) == 2:
            raise InputError(
                f"{where}, line {number}: a node and {shown(cells[1])}; a line of SIF holds node, relation, node"
            )
        n_alone += len(cells) == 1
        for target in cells[2:]:
            rows.append((cells[0], cells[1], target))
            places.append(number)
    notes = (f"{counted(n_alone, 'node')} without an edge left out",) if n_alone else ()
    schema = dict.fromkeys(("source", "relation", "target"), pl.String)
    return Table(pl.DataFrame(rows, schema=schema, orient="row"), where, line_of=places.__getitem__, notes=notes)
