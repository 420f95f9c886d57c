"""Names of columns that differ in one sign that tells two ends: `gene_a` and `gene_b`, `n.name` and `m.name`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

_ENDS = """
a b, 1 2, 0 1, one two, first second, source target, src dst, from to, start end, head tail, left right,
subject object, citing cited, n m, u v, i j, x y
"""
# Measures and descriptions come in pairs, too, and are no ends.
_MEASURES = """
tax taxid taxon taxonomy organism species score weight value count rating conf confidence p pvalue prob time
timestamp date year chromosome chr length size type kind pos position x y degree age lat lon latitude longitude
sequence description
"""
# Of such things columns are called; BRCA1 and BRCA2 are two genes.
_THINGS = """
protein gene node id identifier name user person people entity vertex author paper item drug disease interactor
partner member actor city country station airport molecule compound mirna symbol uniprot ensembl entrez
accession account address ip host agent artist word term concept page article doc document patent company firm
bank wallet email object element residue atom neuron region area site otu locus snp probe chain team player club
school employee customer product v n col column var field key label doi pmid
"""
_TWINS = dict(pair.split() for pair in _ENDS.split(","))
_NO_ENDS, _NOUNS = frozenset(_MEASURES.split()), frozenset(_THINGS.split())
# x and y are places, and ends only where ids or names are called so (PrimeKG).
_COORDINATES = (("x", "index"), ("x", "id"), ("x", "name"))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_READ = 100


def twin_columns(columns: Sequence[str]) -> tuple[str, str] | None:
    """The first two columns whose names differ in such a sign alone, and that may hold nodes.

    >>> from pulink.graph.tables.judging.twin_names import twin_columns
    >>> twin_columns(["id", "Official Symbol Interactor A", "Official Symbol Interactor B"])
    ('Official Symbol Interactor A', 'Official Symbol Interactor B')
    """
    by_words = {_words(name): name for name in reversed(columns)}
    for name in columns:
        words = _words(name)
        if (_NO_ENDS.isdisjoint(words) or words in _COORDINATES) and (
            twin := next((by_words[t] for t in _twins(words) if t in by_words), None)
        ):
            return name, twin
    return None


def is_twin_header(cells: Sequence[str], below: pl.DataFrame) -> bool:
    """Whether a first row names two columns such as `protein1` and `protein2`, and no row below is such."""
    pair = twin_columns(cells)
    if pair is None or not below.height or _NOUNS.isdisjoint(_words(pair[0])):
        return False
    alike = _alike(_words(pair[0]), _words(pair[1]))
    held = [below.to_series(cells.index(cell)) for cell in pair]
    return not any(column.cast(pl.String).str.contains(alike).any() for column in held)


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(name[:_READ]))


def _twins(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What a twin of a name may be called; a name of one word has none."""
    if len(words) < 2:
        return [("other", *words)] if words else []
    changed = [
        (*words[:place], _TWINS[word], *words[place + 1 :]) for place, word in enumerate(words) if word in _TWINS
    ]
    return [*changed, ("other", *words)]


def _alike(words: tuple[str, ...], twin: tuple[str, ...]) -> str:
    """A pattern of names that are made like these two."""
    pairs = zip(words, twin[-len(words) :], strict=True)
    parts = [
        re.escape(one) if one == other else "([a-z]|[0-9]+)" if len(one) == len(other) == 1 else f"({one}|{other})"
        for one, other in pairs
    ]
    between = "[^a-zA-Z0-9]*"
    return f"(?i)^{between}{between.join(parts)}{between}$"
