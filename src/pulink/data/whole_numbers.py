"""Edge lists of plain whole numbers, the most common kind, without a detour over text.

"001" and "+1" are names of their own and must not become 1. Every such spelling is longer than the number's plain
one, so a file that is exactly as long as its plain numbers and separators holds nothing else.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl


def two_whole_columns(data: bytes, separator: str) -> pl.DataFrame | None:
    """Two columns of whole numbers from 0, if the text is that and nothing else; None otherwise."""
    if not data[:1].isdigit():
        return None
    schema = {"column_1": pl.Int64, "column_2": pl.Int64}
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, schema=schema, quote_char=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
        return None
    if not frame.height or any(column.null_count() for column in frame.iter_columns()):
        return None
    numbers = [column.to_numpy() for column in frame.iter_columns()]
    if min(int(column.min()) for column in numbers) < 0:
        return None
    plain = sum(_n_digits(column) for column in numbers) + 2 * frame.height
    return frame if plain == len(data) + (not data.endswith(b"\n")) else None


def _n_digits(numbers: npt.NDArray[np.int64]) -> int:
    """Digits of all numbers together."""
    total, power = len(numbers), 10
    largest = int(numbers.max())
    while power <= largest:
        total += int(np.count_nonzero(numbers >= power))
        power *= 10
    return total
