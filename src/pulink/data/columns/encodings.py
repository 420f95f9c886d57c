"""How single node columns become numbers, learned once and used again for rows that come later.

number    (x − mean) / spread; 0 where the numbers do not vary
category  one column per value that was known
text      TF-IDF of the words that were known, rows of length 1
Unknown cells are zeros, and where some were unknown when this was learned, also a 1 in a column of their own.
Values and words that come later are zeros. An encoding can be written as JSON.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.columns.words import frequent_words, weighed_words, words_of
from pulink.errors import InputError
from pulink.text import counted

MAX_CATEGORIES = 1_000
_LARGEST = float(np.finfo(np.float32).max)
# How tables write an unknown number; among words they may be meant.
UNKNOWN_NUMBERS = ("na", "n/a", "nan", "null", "none", "?", "-")


@dataclass(frozen=True)
class NumberColumn:
    """spread  0 where the numbers do not vary; unit  of dates and times, which are counted in it"""

    kind: ClassVar[str] = "number"

    name: str
    mean: float
    spread: float
    unit: str | None

    @classmethod
    def learned(cls, column: pl.Series) -> NumberColumn:
        known = numbers(column).drop_nulls().to_numpy()
        unit = str(column.dtype) if column.dtype.is_temporal() else None
        # Compared, not subtracted: the mean of equal numbers may miss them by a rounding.
        if not len(known) or not known.min() < known.max():
            return cls(column.name, 0.0, 0.0, unit)
        # Squares of 1e300 or 1e-300 are no numbers any more: a power of two takes the size away, exactly.
        size = int(np.frexp(np.abs(known).max())[1])
        alike = np.ldexp(known, -size)
        mean, spread = np.ldexp([alike.mean(), alike.std()], size).tolist()
        return cls(column.name, mean, spread, unit)

    @property
    def labels(self) -> list[str]:
        return [self.name]

    def cells(self, column: pl.Series) -> pl.Series:
        """As numbers, null where unknown."""
        unit = str(column.dtype) if column.dtype.is_temporal() else None
        if unit != self.unit and column.null_count() < column.len():
            raise InputError(
                f"node column {self.name!r} held {self.unit or 'numbers'} when the model was fitted, and holds "
                f"{unit or 'others'} now"
            )
        return numbers(column)

    def block(self, cells: pl.Series) -> sp.csr_array:
        scaled = np.zeros(cells.len(), dtype=np.float64)
        if self.spread > 0:
            values = cells.to_numpy()
            known = ~np.isnan(values)
            # Halves, because a difference of large numbers may be too large.
            with np.errstate(over="ignore"):
                scaled[known] = (values[known] / 2 - self.mean / 2) / (self.spread / 2)
        return sp.csr_array(scaled.clip(-_LARGEST, _LARGEST)[:, None].astype(np.float32))

    def strange(self, cells: pl.Series) -> int:  # noqa: ARG002 (every number can be placed)
        return 0


@dataclass(frozen=True)
class CategoryColumn:
    """values  the most frequent ones, sorted"""

    kind: ClassVar[str] = "category"

    name: str
    values: tuple[str, ...]

    @classmethod
    def learned(cls, column: pl.Series) -> CategoryColumn:
        counts = Counter(without_blanks(column).cast(pl.String).drop_nulls().to_list())
        frequent = sorted(counts, key=lambda value: (-counts[value], value))
        return cls(column.name, tuple(sorted(frequent[:MAX_CATEGORIES])))

    @property
    def labels(self) -> list[str]:
        return [f"{self.name}={value}" for value in self.values]

    def cells(self, column: pl.Series) -> pl.Series:
        return without_blanks(column).cast(pl.String)

    def block(self, cells: pl.Series) -> sp.csr_array:
        index = {value: k for k, value in enumerate(self.values)}
        found = [(row, index[v]) for row, v in enumerate(cells.to_list()) if v is not None and v in index]
        rows, columns = np.array(found, dtype=np.int64).reshape(-1, 2).T
        ones = np.ones(len(rows), dtype=np.float32)
        return sp.csr_array(sp.coo_array((ones, (rows, columns)), shape=(cells.len(), len(self.values))))

    def strange(self, cells: pl.Series) -> int:
        return len(set(cells.drop_nulls().to_list()) - {*self.values})


@dataclass(frozen=True)
class TextColumn:
    """words  the most frequent ones, sorted; rarity  of each, its inverse document frequency"""

    kind: ClassVar[str] = "text"

    name: str
    words: tuple[str, ...]
    rarity: tuple[float, ...]

    @classmethod
    def learned(cls, column: pl.Series) -> TextColumn:
        words, rarity = frequent_words(_texts(without_blanks(column)))
        return cls(column.name, tuple(words), tuple(rarity.tolist()))

    @property
    def labels(self) -> list[str]:
        return [f"{self.name}: {word}" for word in self.words]

    def cells(self, column: pl.Series) -> pl.Series:
        return without_blanks(column)

    def block(self, cells: pl.Series) -> sp.csr_array:
        if not self.words:
            return sp.csr_array((cells.len(), 0), dtype=np.float32)
        return weighed_words(_texts(cells), self.words, np.array(self.rarity, dtype=np.float32))

    def strange(self, cells: pl.Series) -> int:
        return len({word for text in _texts(cells) for word in words_of(text)} - {*self.words})


@dataclass(frozen=True)
class IgnoredColumn:
    kind: ClassVar[str] = "ignore"

    name: str

    @classmethod
    def learned(cls, column: pl.Series) -> IgnoredColumn:
        return cls(column.name)

    @property
    def labels(self) -> list[str]:
        return []

    def cells(self, column: pl.Series) -> pl.Series:
        return column

    def block(self, cells: pl.Series) -> sp.csr_array:
        return sp.csr_array((cells.len(), 0), dtype=np.float32)

    def strange(self, cells: pl.Series) -> int:  # noqa: ARG002
        return 0


Encoding = NumberColumn | CategoryColumn | TextColumn | IgnoredColumn

ENCODINGS: dict[str, type[Encoding]] = {
    encoding.kind: encoding for encoding in (NumberColumn, CategoryColumn, TextColumn, IgnoredColumn)
}


@dataclass(frozen=True)
class Column:
    """An encoding, and whether cells were unknown when it was learned."""

    encoding: Encoding
    with_gaps: bool

    @classmethod
    def learned(cls, column: pl.Series, kind: str) -> Column:
        encoding = ENCODINGS[kind].learned(column)
        n_missing = encoding.cells(column).null_count()
        return cls(encoding, kind != "ignore" and 0 < n_missing < column.len())

    @property
    def labels(self) -> list[str]:
        """What the columns of `block` are called."""
        gaps = [f"{self.encoding.name} is missing"] if self.with_gaps else []
        return [*self.encoding.labels, *gaps]

    def block(self, column: pl.Series) -> sp.csr_array:
        """A column's cells as numbers (n x labels)."""
        cells = self.encoding.cells(column)
        found = self.encoding.block(cells)
        if self.with_gaps:
            missing = cells.is_null().to_numpy()[:, None].astype(np.float32)
            found = sp.csr_array(sp.hstack([found, missing]))
        return found

    def strange(self, column: pl.Series) -> str | None:
        """In words, what cannot be told because it was not there when this was learned."""
        count = self.encoding.strange(self.encoding.cells(column))
        what = {"category": "unknown value", "text": "unknown word"}
        return f"{counted(count, what[self.encoding.kind])} of {self.encoding.name}" if count else None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        entries = asdict(self.encoding).items()
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in entries}
        return {"kind": self.encoding.kind, "with_gaps": self.with_gaps, **plain}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Column:
        """What `to_json` gave; KeyError, TypeError or ValueError if this is none."""
        entries: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in value.items()}
        with_gaps = bool(entries.pop("with_gaps"))
        encoding = ENCODINGS[entries.pop("kind")](**entries)
        _check(encoding)
        return cls(encoding, with_gaps)


def _check(encoding: Encoding) -> None:
    """ValueError if it was not learned: a model folder may hold anything."""
    texts: tuple[object, ...] = (encoding.name,)
    values: tuple[object, ...] = ()
    match encoding:
        case NumberColumn(mean=mean, spread=spread):
            values = mean, spread
        case CategoryColumn(values=categories):
            texts += categories
        case TextColumn(words=words, rarity=values):
            texts += words
            large = any(isinstance(value, int | float) and abs(value) > _LARGEST for value in values)
            if len(words) != len(values) or large:
                raise ValueError(f"the words of {encoding.name} are not whole")
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(value, int | float) for value in values
    ):
        raise ValueError(f"what is kept of {encoding.name!r} is of other types")


def without_blanks(column: pl.Series) -> pl.Series:
    """Empty text is missing."""
    return column.set(column == "", None) if column.dtype == pl.String else column


def numbers(column: pl.Series) -> pl.Series:
    """As numbers: dates count days or fractions of seconds; null where unknown or no number."""
    plain = column.to_physical() if column.dtype.is_temporal() else column
    if plain.dtype == pl.Categorical or isinstance(plain.dtype, pl.Enum):
        plain = plain.cast(pl.String)
    return pl.Series(column.name, plain.cast(pl.Float64, strict=False).to_numpy(), nan_to_null=True)


def _texts(cells: pl.Series) -> list[str]:
    return ["" if value is None else str(value) for value in cells.to_list()]
