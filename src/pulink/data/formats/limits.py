"""What a file may ask for. All of it is counted while reading: no header's word is believed.

A file on disk may be as large as memory allows. What a small file could blow up is bounded: packed bytes, cells
that are only implied, nodes that are only announced, names and rows without end.
"""

from __future__ import annotations

from pulink.errors import InputError

# Unpacked text costs up to some 35 times its size and 0.2 s per MB while it is read, arrays about three times.
# Edge lists pack 3 to 10 times.
FREE_TEXT = 6_000_000
TEXT_RATIO = 15
FREE_ARRAYS = 128_000_000
ARRAY_RATIO = 50
# The reader that goes line by line takes 0.4 s per MB.
_FREE_SLOW_TEXT = 8_000_000
_SLOW_TEXT_RATIO = 2

STANDARD_INPUT = 512_000_000
MAX_COLUMNS = 5_000
MAX_TEXTS = 1_000
MAX_DEPTH = 1_000
MAX_PARTS = 10_000
# Of SQLite's virtual machine, which takes some 50 to 100 million a second.
MAX_QUERY_STEPS = 20_000_000_000
# JSON costs up to some 25 times its size as objects.
JSON_RATIO = 25

_FREE_CELLS = 4_000_000
_FREE_NODES = 10_000_000
_FREE_QUERY = 1_000_000_000
_QUERY_RATIO = 20


def check_unpacked(n_unpacked: int, n_packed: int, free: int, ratio: int, where: str, way_out: str) -> None:
    """Refuse content that unpacks to more than `free` bytes and `ratio` times what was packed."""
    allowed = free + ratio * n_packed
    if n_unpacked > allowed:
        raise InputError(
            f"{where}: unpacks to more than {allowed / 1e6:,.0f} MB, as a decompression bomb does (allowed are "
            f"{free / 1e6:,.0f} MB and {ratio} times the packed bytes); {way_out}"
        )


def slow_text(n_packed: int) -> int:
    """How much of a packed text may be read line by line."""
    return _FREE_SLOW_TEXT + _SLOW_TEXT_RATIO * n_packed


def too_many_cells(n_cells: int, n_written: int) -> bool:
    """Whether a table would have far more cells than were written: rows far shorter than the table is wide."""
    return n_cells > _FREE_CELLS + 4 * n_written


def check_columns(n_columns: int, place: str) -> None:
    if n_columns > MAX_COLUMNS:
        raise InputError(
            f"{place}: {n_columns:,} columns; at most {MAX_COLUMNS:,} are allowed "
            "(wide node attributes are better a sparse matrix: scipy.sparse.save_npz)"
        )


def check_announced(count: int, n_stored: int, what: str, where: str) -> None:
    """Refuse a count that costs memory but is a mere number in the file."""
    allowed = min(_FREE_NODES + 10 * n_stored, 2**31 - 1)
    if not 0 <= count <= allowed:
        raise InputError(
            f"{where}: {what} is {count:,}; it must be at least 0, and for {n_stored:,} stored at most {allowed:,}"
        )


def check_query_bytes(n_bytes: int, n_stored: int, where: str) -> None:
    """Refuse an answer that is far larger than the database: a query may have no end."""
    allowed = _FREE_QUERY + _QUERY_RATIO * n_stored
    if n_bytes > allowed:
        raise InputError(f"{where}: gives more than {allowed / 1e6:,.0f} MB of rows; ask for fewer (limit)")
