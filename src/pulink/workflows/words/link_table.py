"""A list of links for people: ranks that tie, probabilities with the digits that are known, the main reason.

A probability has one digit more than the first of its 90% interval's width, three in all at most: 71% (55-84%).
Where even the likeliest link is below one per cent, scores stand in its place: a column of 0.0% tells nothing.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from pulink.predictor.link_lists import COLUMNS, ENDS

if TYPE_CHECKING:
    import polars as pl

# Columns whose cells stand at the right.
NUMBERS = {"rank", "probability", "score", "probability_low", "probability_high"}

_TELLING = 0.01
_MOST_DIGITS, _DIGITS_WITHOUT_INTERVAL = 3, 2
_MOST_GROUPS = 3


def drawn_rows(
    links: pl.DataFrame, whole: pl.DataFrame, called: tuple[str, str] = ENDS, *, by_node: bool = False
) -> tuple[list[str], list[list[str]]]:
    """Columns and rows for a screen or a notebook.

    links    with the column `reason`: the first rows of the `whole` list, or all of them
    called   what the two ends are called
    by_node  ranks count from 1 for each node
    """
    ranks = [f"{rank}=" if n > 1 else str(rank) for rank, n in _runs(whole, by_node) for _ in range(n)]
    if max(whole["probability"], default=1.0) < _TELLING:
        shown, cells = "score", [f"{score:.4g}" for score in links["score"]]
    else:
        shown = "probability"
        rows = links.select("probability", "probability_low", "probability_high").rows()
        cells = [probability_text(*row) for row in rows]
    ends = links.select("source", "target", "reason").rows()
    columns = ["rank", *called, shown, "reason"]
    return columns, [
        [rank, str(source), str(target), cell, reason]
        for rank, (source, target, reason), cell in zip(ranks[: links.height], ends, cells, strict=True)
    ]


def plain_rows(links: pl.DataFrame, called: tuple[str, str] = ENDS) -> tuple[list[str], list[list[str]]]:
    """Columns and rows for a pipe: every digit, nothing where nothing is known."""
    columns = [*COLUMNS, "reason"]
    shown = [dict(zip(ENDS, called, strict=True)).get(name, name) for name in columns]
    return shown, [["" if cell is None else str(cell) for cell in row] for row in links.select(columns).rows()]


def probability_text(probability: float, low: float | None = None, high: float | None = None) -> str:
    """In per cent, with its 90% interval where there is one."""
    if low is None or high is None:
        return _percent(probability, _decimals(probability, _DIGITS_WITHOUT_INTERVAL))
    decimals = _decimals(probability, _MOST_DIGITS)
    if high > low:
        decimals = max(0, min(decimals, 1 - math.floor(math.log10(100 * (high - low)))))
    return f"{_percent(probability, decimals)} ({100 * low:.{decimals}f}-{100 * high:.{decimals}f}%)"


def _decimals(probability: float, digits: int) -> int:
    """Behind the point, for so many digits in all; a small probability has no more of them than one of 1%."""
    leading = math.floor(math.log10(100 * probability)) if probability > 0 else 0
    return max(0, digits - 1 - max(leading, 0))


def _percent(probability: float, decimals: int) -> str:
    """Only what is certain is 0 or 100."""
    text, unit = f"{100 * probability:.{decimals}f}", 10.0**-decimals
    if float(text) == 0 < probability:
        return f"<{unit:.{decimals}f}%"
    if float(text) == 100 and probability < 1:
        return f">{100 - unit:.{decimals}f}%"
    return f"{text}%"


def ties(links: pl.DataFrame, *, by_node: bool = False) -> str | None:
    """One line that names links of equal scores; None if there are none."""
    groups = [(rank, n) for rank, n in _runs(links, by_node) if n > 1]
    if not groups:
        return None
    if by_node:
        return 'ranks with "=" tie: equal scores'
    named = [f"{rank} to {rank + n - 1}" for rank, n in groups[:_MOST_GROUPS]]
    more = len(groups) - len(named)
    named += [f"{more:,} other groups" if more > 1 else "another group"] if more else []
    listed = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    return f"ranks {listed} tie: equal scores"


def _runs(links: pl.DataFrame, by_node: bool) -> list[tuple[int, int]]:
    """Each rank, and how many links in a row have it."""
    rows = links.select("source", "rank").rows()
    runs = groupby(rows, key=lambda row: row if by_node else row[1:])
    return [(key[-1], sum(1 for _ in run)) for key, run in runs]
