"""Node columns become a sparse matrix.

number    standardised to mean 0 and variance 1
category  one column per value
text      TF-IDF of its words, rows of length 1
Missing values are zeros plus one indicator column; infinite numbers are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.sparse as sp

from pulink.errors import InputError, ParameterError, UnknownNameError

KINDS = ("number", "category", "text", "ignore")

_MAX_CATEGORIES = 1_000
_MAX_WORDS = 20_000
_WORD = r"(?u)\b\w[\w:+.#-]*\b"
# How tables write an unknown number; among words they may be meant.
_UNKNOWN_NUMBERS = ("na", "n/a", "nan", "null", "none", "?", "-")


@dataclass(frozen=True)
class NodeFeatures:
    """An n x d matrix, what its columns are called, and what a reader should be told."""

    matrix: sp.csr_array
    names: tuple[str, ...]
    notes: tuple[str, ...]


def node_features(
    table: pl.DataFrame, kinds: dict[str, str] | None = None, where: str = "the node table"
) -> NodeFeatures:
    """Encode every column of `table` (a row per node, null where missing)."""
    chosen = _chosen_kinds(table, kinds)
    if problem := bad_number(table, kinds):
        raise InputError(f"{where}, row {problem[0] + 1}: {problem[1]}")
    blocks: list[sp.csr_array] = []
    names: list[str] = []
    for column in table.iter_columns():
        kind = chosen[column.name]
        column = _numbers(column) if kind == "number" else _without_blanks(column)
        block, labels = _ENCODERS[kind](column)
        missing = column.is_null().to_numpy()
        if kind != "ignore" and missing.any() and not missing.all():
            block = sp.csr_array(sp.hstack([block, missing[:, None].astype(np.float32)]))
            labels = [*labels, f"{column.name} is missing"]
        blocks.append(block)
        names += labels
    said = ", ".join(f"{name} ({kind})" for name, kind in chosen.items())
    if not names:
        raise InputError(f"{where}: has no usable attributes: {said or 'only ids'}")
    matrix = sp.csr_array(sp.hstack(blocks, format="csr", dtype=np.float32))
    return NodeFeatures(matrix, tuple(names), (f"attributes {said}: {len(names):,} features",))


def bad_number(table: pl.DataFrame, kinds: dict[str, str] | None = None) -> tuple[int, str] | None:
    """The row of the first cell that cannot stand in a column of numbers, and what is wrong with it."""
    for name, kind in _chosen_kinds(table, kinds).items():
        if kind != "number":
            continue
        values = _numbers(table[name])
        bad = (values.is_null() & ~_is_unknown(table[name])) | values.is_infinite().fill_null(False)
        if bad.any():
            row = int(bad.arg_true()[0])
            return row, f"{name} is {table[name][row]!r}; numbers must be finite, or empty where unknown"
    return None


def _chosen_kinds(table: pl.DataFrame, kinds: dict[str, str] | None) -> dict[str, str]:
    wanted = kinds or {}
    for name, kind in wanted.items():
        if name not in table.columns:
            raise ParameterError(f"no node column is called {name!r}; there are {', '.join(table.columns)}")
        if kind not in KINDS:
            raise UnknownNameError("kind of column", kind, KINDS)
        if kind != "ignore" and _is_nested(table[name]):
            raise ParameterError(f"node column {name!r} holds {table[name].dtype}; it can only be ignored")
    return {column.name: wanted.get(column.name) or _guess(column) for column in table.iter_columns()}


def _guess(column: pl.Series) -> str:
    values = _without_blanks(column).drop_nulls()
    if not values.len() or _is_nested(column):
        return "ignore"
    if values.dtype.is_numeric() or values.dtype.is_temporal():
        return "number"
    if values.dtype != pl.String:
        return "category"
    numbers = _numbers(values)
    if numbers.count() and not (numbers.is_null() & ~_is_unknown(values)).any():
        return "number"
    n_values, n_rows = values.n_unique(), values.len()
    words = values.str.count_matches(_WORD.removeprefix("(?u)"))
    if float(words.mean() or 0) >= 2:  # type: ignore[arg-type]
        return "text"
    if n_values <= max(20, min(_MAX_CATEGORIES, n_rows // 2)):
        return "category"
    # One word per cell and nearly every cell different: an identifier says nothing about links.
    return "ignore"


def _is_nested(column: pl.Series) -> bool:
    return column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary)


def _without_blanks(column: pl.Series) -> pl.Series:
    return column.set(column == "", None) if column.dtype == pl.String else column


def _is_unknown(column: pl.Series) -> pl.Series:
    """Whether a cell says of itself that its number is not known."""
    if column.dtype == pl.String:
        return column.str.to_lowercase().is_in(["", *_UNKNOWN_NUMBERS]) | column.is_null()
    return column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()


def _numbers(column: pl.Series) -> pl.Series:
    """As numbers: dates count days or fractions of seconds; null where unknown or no number."""
    plain = column.to_physical() if column.dtype.is_temporal() else column
    return plain.set(_is_unknown(plain), None).cast(pl.Float64, strict=False)


def _number(column: pl.Series) -> tuple[sp.csr_array, list[str]]:
    present = column.is_not_null().to_numpy()
    known = column.drop_nulls().to_numpy()
    scaled = np.zeros(column.len(), dtype=np.float64)
    # Compared, not subtracted: the mean of equal numbers may miss them by a rounding.
    if len(known) and known.min() < known.max():
        scaled[present] = (known - known.mean()) / known.std()
    return sp.csr_array(scaled[:, None].astype(np.float32)), [column.name]


def _category(column: pl.Series) -> tuple[sp.csr_array, list[str]]:
    text = column.cast(pl.String).alias("value")
    counts = text.drop_nulls().value_counts().sort(["count", "value"], descending=[True, False])
    values = sorted(counts["value"].head(_MAX_CATEGORIES).to_list())
    index = {value: k for k, value in enumerate(values)}
    cells = [(row, index[v]) for row, v in enumerate(text.to_list()) if v is not None and v in index]
    rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(len(rows), dtype=np.float32)
    block = sp.csr_array(sp.coo_array((ones, (rows, columns)), shape=(text.len(), len(values))))
    return block, [f"{column.name}={value}" for value in values]


def _text(column: pl.Series) -> tuple[sp.csr_array, list[str]]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(token_pattern=_WORD, max_features=_MAX_WORDS, dtype=np.float32)
    texts = ["" if value is None else str(value) for value in column.to_list()]
    try:
        block = vectoriser.fit_transform(texts)
    except ValueError:
        return sp.csr_array((len(texts), 0), dtype=np.float32), []
    words: npt.NDArray[np.object_] = vectoriser.get_feature_names_out()
    return sp.csr_array(block), [f"{column.name}: {word}" for word in words]


def _ignore(column: pl.Series) -> tuple[sp.csr_array, list[str]]:
    return sp.csr_array((column.len(), 0), dtype=np.float32), []


_ENCODERS = {"number": _number, "category": _category, "text": _text, "ignore": _ignore}
