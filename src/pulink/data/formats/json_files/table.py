"""Objects and pairs of JSON as a table: an edge per object, or per element where a key holds a list."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from pulink.data.formats.json_files.keys import ONE_WAY, Keys, under
from pulink.data.formats.json_files.values import JsonValues
from pulink.data.formats.limits import MAX_COLUMNS, check_columns, too_many_cells
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError
from pulink.graph.spaces.kinds import DIRECTED
from pulink.graph.tables.table import Table
from pulink.text import counted, listed, shown


def edge_table_of(values: JsonValues, options: ReadOptions) -> Table:
    """Rows with two ends; what else objects say in single values are further columns."""
    keys, n_objects, n_lists = Keys(), 0, 0
    for number, value in values:
        if isinstance(value, dict):
            keys.add(value)
            n_objects += 1
        elif isinstance(value, list):
            n_lists += 1
        else:
            raise values.fail(number, f"{shown(value)}; an object or a pair is needed")
        if n_objects and n_lists:
            raise values.fail(number, "objects and lists are mixed; every one must be of one sort")
    if n_lists:
        return _pairs(values)
    if not n_objects:
        raise InputError(f"{values.where}: holds no object, so no edges")
    return _objects(values, keys, options)


def attribute_table_of(values: JsonValues) -> Table:
    """A row per object, with what it says in single values."""
    keys = Keys()
    for number, value in values:
        if not isinstance(value, dict):
            raise values.fail(number, f"{shown(value)}; an object is needed, with an id and attributes")
        keys.add(value)
    columns = _Columns(values, list(keys.scalars))
    for number, value in values:
        columns.add(number, [next(iter(under(value, name)), None) for name in columns.names])
    return columns.table()


def _objects(values: JsonValues, keys: Keys, options: ReadOptions) -> Table:
    ends = keys.ends(options.source, options.target, values)
    asked = [name for name in (options.weight, options.time) if name is not None]
    beside = [name for name in keys.scalars if "." not in name]
    if any(_is_list(name, keys) for name in ends):
        # Repeated for every element they would be most of the table.
        beside = [name for name in beside if name == "weight"]
    names = list(dict.fromkeys([*ends, *asked, *beside]))
    columns = _Columns(values, names)
    met, n_left_out = [False, False], 0
    for number, value in values:
        first, second = (list(under(value, name)) for name in ends)
        met = [met[0] or bool(first), met[1] or bool(second)]
        if len(first) > 1 and len(second) > 1:
            raise values.fail(number, f"{listed(ends)} are both lists; one of them must be a single value")
        n_left_out += not (first and second)
        rest = [next(iter(under(value, name)), None) for name in names[2:]]
        for one in first:
            for other in second:
                columns.add(
                    number, [_id(one, ends[0], values, number), _id(other, ends[1], values, number), *rest]
                )
    for name, is_met in zip(ends, met, strict=True):
        if not is_met:
            raise keys.refuse_unknown(name, values)
    table = columns.table()
    note = f"{counted(n_left_out, 'object')} without {' or '.join(listed([name]) for name in ends)} left out"
    leads = ends[1] in keys.lists and ends[1] in ONE_WAY
    stated = (DIRECTED, f"each object lists its {ends[1]}") if leads else None
    return replace(table, notes=table.notes + ((note,) if n_left_out else ()), stated_kind=stated)


def _is_list(name: str, keys: Keys) -> bool:
    return name in keys.lists or name not in keys.scalars


def _pairs(values: JsonValues) -> Table:
    width = 0
    columns: _Columns | None = None
    for number, value in values:
        if len(value) < 2:
            raise values.fail(number, f"{shown(value)}; a pair of nodes is needed")
        if columns is None:
            width = len(value)
            check_columns(width, values.where)
            columns = _Columns(values, [f"column_{place}" for place in range(1, width + 1)])
        if len(value) != width:
            raise values.fail(number, f"{counted(len(value), 'value')} where others have {width:,}")
        ends = [_id(end, f"value {place}", values, number) for place, end in enumerate(value[:2], 1)]
        columns.add(number, [*ends, *value[2:]])
    assert columns is not None
    return replace(columns.table(), has_header=False)


def _id(value: Any, key: str, values: JsonValues, number: int) -> Any:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    hint = f" (name a key of it, such as {key}.{next(iter(value))})" if isinstance(value, dict) and value else ""
    raise values.fail(number, f"{listed([key])} is {shown(value)}; ids must be text or whole numbers{hint}")


class _Columns:
    """Columns of text as they grow, and the place of each row."""

    def __init__(self, values: JsonValues, names: list[str]) -> None:
        check_columns(len(names), values.where)
        self.names = names
        self._values = values
        self._cells: list[list[str | None]] = [[] for _ in names]
        self._numbers = array("q")
        self._n_written = 0

    def add(self, number: int, row: list[Any]) -> None:
        for cells, value in zip(self._cells, row, strict=True):
            cells.append(_text(value))
        self._numbers.append(number)
        self._n_written += sum(value is not None for value in row)
        n_cells = len(self._numbers) * len(self.names)
        if n_cells > 4 * self._n_written and too_many_cells(n_cells, self._n_written):
            raise self._values.fail(
                number, f"{len(self.names):,} keys of which nearly all are missing; leave them out"
            )

    def table(self) -> Table:
        frame = pl.DataFrame(
            dict(zip(self.names, self._cells, strict=True)), schema=dict.fromkeys(self.names, pl.String)
        )
        return Table(frame, self._values.where, notes=self._values.notes, line_of=self._line_of())

    def _line_of(self) -> Callable[[int], int] | None:
        return self._numbers.__getitem__ if self._values.elements is None else None


def _text(value: Any) -> str | None:
    """A single value as a cell of text; lists and objects are none."""
    if value is None or isinstance(value, list | dict):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def plain_values(item: Mapping[str, Any]) -> dict[str, str]:
    """The single values of an object as text."""
    return {key: text for key, value in list(item.items())[:MAX_COLUMNS] if (text := _text(value)) is not None}
