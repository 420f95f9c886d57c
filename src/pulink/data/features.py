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


@dataclass(frozen=True)
class NodeFeatures:
    """An n x d matrix, what its columns are called, and what a reader should be told."""

    matrix: sp.csr_array
    names: tuple[str, ...]
    notes: tuple[str, ...]


def node_features(table: pl.DataFrame, kinds: dict[str, str] | None = None) -> NodeFeatures:
    """Encode every column of `table` (a row per node, null where missing)."""
    wanted = kinds or {}
    for name, kind in wanted.items():
        if name not in table.columns:
            raise ParameterError(f"no node column is called {name!r}; there are {', '.join(table.columns)}")
        if kind not in KINDS:
            raise UnknownNameError("kind of column", kind, KINDS)
    blocks: list[sp.csr_array] = []
    names: list[str] = []
    said: list[str] = []
    for column in table.iter_columns():
        column = column.set(column == "", None) if column.dtype == pl.String else column
        kind = wanted.get(column.name) or _guess(column)
        said.append(f"{column.name} ({kind})")
        block, labels = _ENCODERS[kind](column)
        missing = column.is_null().to_numpy()
        if kind != "ignore" and missing.any() and not missing.all():
            block = sp.csr_array(sp.hstack([block, missing[:, None].astype(np.float32)]))
            labels = [*labels, f"{column.name} is missing"]
        blocks.append(block)
        names += labels
    if not names:
        raise InputError(f"the node table has no usable attributes: {', '.join(said) or 'only ids'}")
    matrix = sp.csr_array(sp.hstack(blocks, format="csr", dtype=np.float32))
    return NodeFeatures(matrix, tuple(names), (f"attributes {', '.join(said)}: {len(names):,} features",))


def _guess(column: pl.Series) -> str:
    values = column.drop_nulls()
    if not values.len():
        return "ignore"
    if values.dtype.is_numeric():
        return "number"
    if values.dtype != pl.String:
        return "category"
    if values.cast(pl.Float64, strict=False).null_count() == 0:
        return "number"
    n_values, n_rows = values.n_unique(), values.len()
    words = values.str.count_matches(_WORD.removeprefix("(?u)"))
    if float(words.mean() or 0) >= 2:  # type: ignore[arg-type]
        return "text"
    if n_values <= max(20, min(_MAX_CATEGORIES, n_rows // 2)):
        return "category"
    # One word per cell and nearly every cell different: an identifier says nothing about links.
    return "ignore"


def _number(column: pl.Series) -> tuple[sp.csr_array, list[str]]:
    try:
        values = column.cast(pl.Float64).to_numpy().astype(np.float64)
    except pl.exceptions.InvalidOperationError:
        bad = column.filter(column.cast(pl.Float64, strict=False).is_null() & column.is_not_null())[0]
        raise InputError(f"node column {column.name!r}: {bad!r} is not a number") from None
    present = ~column.is_null().to_numpy()
    bad_places = present & ~np.isfinite(values)
    if bad_places.any():
        raise InputError(
            f"node column {column.name!r}: {int(bad_places.sum())} values are NaN or infinite, the first in row "
            f"{int(np.flatnonzero(bad_places)[0]) + 1}; numbers must be finite, leave the cell empty if unknown"
        )
    known = values[present]
    scaled = np.zeros(len(values), dtype=np.float64)
    spread = known.std() if len(known) else 0.0
    scaled[present] = (known - known.mean()) / spread if spread > 0 else 0.0
    return sp.csr_array(scaled[:, None].astype(np.float32)), [column.name]


def _category(column: pl.Series) -> tuple[sp.csr_array, list[str]]:
    text = column.cast(pl.String)
    counts = text.drop_nulls().value_counts(sort=True).sort(["count", text.name], descending=[True, False])
    values = sorted(counts[text.name].head(_MAX_CATEGORIES).to_list())
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
