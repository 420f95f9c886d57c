"""Names of the nodes of a graph folder, a file for each range of nodes, looked up both ways without reading all.

counted  nodes are called 0 .. n - 1, and there are no files
whole    numbers: int64, ascending
text     letters: all names of the range, one behind the other, in UTF-8; starts: where each begins, and the end;
         in the order of their bytes, all different

Names that are whole numbers, written plainly, are in the order of the numbers: as `graph.tables.numbering` has it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.graph.names import MAX_NAME
from pulink.persistence.array_file import ArrayFile

COUNTED, WHOLE, TEXT = "counted", "whole", "text"
CALLED = (COUNTED, WHOLE, TEXT)

_SEARCHED_FOR_HINTS = 200_000
_PLAIN = re.compile(r"0|[1-9][0-9]{0,18}")
_LONGEST = 4 * MAX_NAME
_LARGEST = 2**63 - 1

Longs = npt.NDArray[np.int64]
NameArrays = Mapping[str, npt.NDArray[np.generic]]


def text_arrays(names: Sequence[str]) -> dict[str, npt.NDArray[np.generic]]:
    """Names, in order, as the arrays of a file."""
    encoded = [name.encode() for name in names]
    starts = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in encoded], out=starts[1:])
    return {"letters": np.frombuffer(b"".join(encoded), dtype=np.uint8), "starts": starts}


def whole_arrays(numbers: Longs) -> dict[str, npt.NDArray[np.generic]]:
    """Names that are whole numbers, in order, as the arrays of a file."""
    return {"numbers": np.asarray(numbers, dtype=np.int64)}


class RangeNames:
    """Those of one range.

    Of a file that was changed, names may be wrong; nothing outside of the file is ever read.
    """

    def __init__(self, file: ArrayFile, called: str, n_rows: int) -> None:
        self._file, self._called, self._n_rows = file, called, n_rows
        if called == WHOLE:
            file.require({"numbers": (np.int64, (n_rows,))})
            self._numbers: Longs = file.mapped("numbers")
        else:
            file.require({"letters": (np.uint8, (-1,)), "starts": (np.int64, (n_rows + 1,))})
            self._starts: Longs = file.mapped("starts")
            self._letters: npt.NDArray[np.uint8] = file.mapped("letters")

    def check(self) -> None:
        """InputError unless names are in order, all different, and sound."""
        if self._called == WHOLE:
            fits = bool((self._numbers >= 0).all() and (np.diff(self._numbers) > 0).all())
        else:
            starts = self._starts
            fits = bool(starts[0] == 0 and starts[-1] == len(self._letters) and (np.diff(starts) > 0).all())
            before = b""
            for place in range(self._n_rows if fits else 0):
                one = self._bytes(place)
                fits = before < one and _is_text(one)
                if not fits:
                    break
                before = one
        if not fits:
            raise self._damaged()

    def _damaged(self) -> InputError:
        return InputError(f"{self._file.path}: is damaged (names are not in order)")

    def _bytes(self, place: int) -> bytes:
        first, end = int(self._starts[place]), int(self._starts[place + 1])
        if not 0 <= first <= end <= min(len(self._letters), first + _LONGEST):
            raise self._damaged()
        return self._letters[first:end].tobytes()

    def at(self, place: int) -> str:
        """The name at a place of the range."""
        if self._called == WHOLE:
            return str(int(self._numbers[place]))
        try:
            return self._bytes(place).decode()
        except UnicodeDecodeError as error:
            raise self._damaged() from error

    def key(self, place: int) -> bytes | int:
        """What names are in the order of."""
        return int(self._numbers[place]) if self._called == WHOLE else self._bytes(place)

    def place_of(self, key: bytes | int) -> int | None:
        """Where a name stands; None if it does not."""
        low, high = 0, self._n_rows
        while low < high:
            middle = (low + high) // 2
            if self.key(middle) < key:  # type: ignore[operator]
                low = middle + 1
            else:
                high = middle
        return low if low < self._n_rows and self.key(low) == key else None


def _is_text(one: bytes) -> bool:
    try:
        one.decode()
    except UnicodeDecodeError:
        return False
    return True


def key_of(name: str, called: str) -> bytes | int | None:
    """By what a name is looked for; None where nothing can be called so."""
    if called == TEXT:
        try:
            return name.encode()
        except UnicodeEncodeError:
            return None
    number = int(name) if _PLAIN.fullmatch(name) else None
    return number if number is not None and number <= _LARGEST else None


def unknown(name: object, known: Sequence[str] | None) -> InputError:
    """No node is called so; `known` are all names where they are few."""
    if not isinstance(name, str):
        return InputError(f"node names are strings, got {name!r} ({type(name).__name__})")
    close = [] if known is None else difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return InputError(f"no node is called {name!r}{hint}")


def searched_for_hints(n_nodes: int) -> bool:
    """Whether there are few enough names to find a similar one."""
    return n_nodes <= _SEARCHED_FOR_HINTS
