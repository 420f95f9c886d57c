"""Names that a person cannot tell apart stay different nodes, and a note says so.

Two names look alike if they fold to the same text: compatibility forms, invisible characters, runs of blanks and
letters of other alphabets that are drawn like Latin ones fall away. '1', '01', '+1' and '1.0' are one number.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

Fold = Callable[[pl.Series], pl.Series]

# Drawn alike in common typefaces; Cyrillic, then Greek, then dashes and quotes.
_DRAWN_ALIKE = dict(
    zip(
        "АВЕЅІЈКМНОРСТХаеѕіјорсухһԁԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο" + "‐‑‒–—−’‘",  # noqa: RUF001
        "ABESIJKMHOPCTXaesijopcyxhdqw" + "ABEZHIKMNOPTYXo" + "------''",
        strict=True,
    )
)
_STRANGE = r"[^!-~]"
_NUMBER = r"^\+?0*([0-9]+)(\.0*)?$"
_SHOWN = 3
_LETTERS = 40
# More strange names than this are not compared: that would take longer than reading them.
_COMPARED = 1_000_000


def look_alikes(names: pl.Series) -> tuple[str, ...]:
    """What to tell a reader about names (each once) that look alike: no line, one or two."""
    return _note(names, _STRANGE, _folded, "look alike (blanks, invisible or foreign letters)") + _note(
        names, _NUMBER, lambda text: text.str.replace(_NUMBER, "${1}"), "are one number written differently"
    )


def _note(names: pl.Series, pattern: str, fold: Fold, what: str) -> tuple[str, ...]:
    strange = names.filter(names.str.contains(pattern))
    if not 0 < strange.len() <= _COMPARED:
        return ()
    changed = pl.DataFrame({"name": strange, "folded": fold(strange)}).filter(pl.col("name") != pl.col("folded"))
    # A name that folding leaves as it is looks like those that fold to it.
    same = pl.DataFrame({"name": names}).join(changed, left_on="name", right_on="folded", how="semi")
    both = pl.concat([changed, same.select("name", folded="name")]).unique()
    groups = both.group_by("folded").agg(pl.col("name").sort()).filter(pl.col("name").list.len() > 1)
    if not groups.height:
        return ()
    n_names = int(groups["name"].list.len().sum())
    first = ["/".join(_letters(name) for name in group) for group in groups.sort("folded")["name"].head(_SHOWN)]
    more = f" and {groups.height - _SHOWN:,} more" if groups.height > _SHOWN else ""
    return (f"{n_names:,} names {what} and stay different nodes: {', '.join(first)}{more}",)


def _folded(names: pl.Series) -> pl.Series:
    """Text as it is drawn; folding it once more changes nothing."""
    plain = names.str.normalize("NFKC").str.replace_many(_DRAWN_ALIKE)
    return plain.str.replace_all(r"\p{Cf}", "").str.replace_all(r"\s+", " ").str.strip_chars()


def _letters(name: str) -> str:
    """With every foreign letter as its code: that is where the difference is."""
    return ascii(name if len(name) <= _LETTERS else f"{name[:_LETTERS]}…")
