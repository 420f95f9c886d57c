"""Keys of JSON objects: what stands under a.b, and which two of them hold the ends of a link."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulink.data.formats.json_files.values import JsonValues
from pulink.data.formats.limits import MAX_COLUMNS
from pulink.errors import ParameterError
from pulink.graph.tables.headers import known_ends
from pulink.text import listed, shown

# An object with more keys than this is a dictionary of words or the like, whose keys are no names of columns.
_WIDEST = 100
_DEEPEST = 2
_IDS = ("id", "_id", "key", "node", "name", "paperId", "doi")
# Keys that hold a list of what an object is linked with.
_LISTS = (
    "referenced_works", "references", "cites", "citations", "links", "edges", "targets", "neighbors", "neighbours",
    "adjacent", "children", "imports", "dependencies", "depends", "follows", "following", "friends", "mentions",
)  # fmt: skip
# Of these, the ones that lead away from the object.
ONE_WAY = (
    "referenced_works", "references", "cites", "imports", "dependencies", "depends", "follows", "following",
    "mentions", "children",
)  # fmt: skip


class Keys:
    """The keys that objects have, nested ones as a.b, in the order in which they were met."""

    def __init__(self) -> None:
        self.scalars: dict[str, None] = {}
        self.lists: dict[str, None] = {}

    def add(self, item: Mapping[str, Any], prefix: str = "", depth: int = 0) -> None:
        """Take note of an object's keys."""
        for key, value in item.items():
            name = prefix + key
            if isinstance(value, dict):
                if depth < _DEEPEST and len(value) <= _WIDEST:
                    self.add(value, f"{name}.", depth + 1)
            elif isinstance(value, list):
                if value and not isinstance(value[0], dict | list):
                    self._note(self.lists, name)
            elif value is not None:
                self._note(self.scalars, name)

    @staticmethod
    def _note(known: dict[str, None], name: str) -> None:
        if len(known) < MAX_COLUMNS:
            known.setdefault(name)

    @property
    def every(self) -> list[str]:
        return list(self.scalars | self.lists)

    def ends(self, source: str | None, target: str | None, values: JsonValues) -> tuple[str, str]:
        """The two keys that hold the ends: those asked for, or those whose names tell."""
        guess = (None, None) if source and target else self._guessed(source is None, target is None)
        first, second = source or guess[0], target or guess[1]
        if first is None or second is None:
            raise ParameterError(
                f"{values.where}: no two of its keys are known to hold the ends of a link; say which do: "
                f'source="KEY", target="KEY" (--source KEY --target KEY); its keys are {listed(self.every)}'
            )
        if first == second:
            raise ParameterError(f"{values.where}: source and target are both {shown(first)}; they must differ")
        return first, second

    def _guessed(self, needs_source: bool, needs_target: bool) -> tuple[str | None, str | None]:
        plain = [name for name in self.every if "." not in name]
        if known := known_ends(plain) or known_ends(self.every):
            return known
        name = next((key for key in _IDS if key in self.scalars), None)
        partners = [key for key in _LISTS if key in self.lists] or list(self.lists)
        if name is not None and (not needs_target or len(partners) == 1 or (partners and partners[0] in _LISTS)):
            return name, partners[0] if partners else None
        if len(self.every) == 2 and needs_source and needs_target:
            first, second = self.every
            return first, second
        return None, None

    def refuse_unknown(self, name: str, values: JsonValues) -> ParameterError:
        """No object holds anything there."""
        close = difflib.get_close_matches(name, self.every, n=1)
        hint = f"; did you mean {shown(close[0])}?" if close else ""
        return ParameterError(
            f"{values.where}: nothing stands under the key {shown(name)}{hint} (its keys are {listed(self.every)})"
        )


def under(value: Any, path: str) -> Iterator[Any]:
    """What stands under a key, a.b in nested objects, each element of lists on the way; null is nothing."""
    if isinstance(value, list):
        for one in value:
            yield from under(one, path)
    elif isinstance(value, dict):
        if path in value:
            yield from _elements(value[path])
            return
        first, _, rest = path.partition(".")
        if rest and first in value:
            yield from under(value[first], rest)


def _elements(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return (one for one in value if one is not None) if isinstance(value, list) else (value,)
