"""Why a pair may be a link: common neighbours, short paths, shared attributes, and what the trees made of it.

These are facts of the graph that a person can check. They are not how a method arrived at its score, but for the
signals of PULL+.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.adjacency import Adjacency, Ints, index_dtype
from pulink.engine.structure.common_neighbours import common_neighbours
from pulink.errors import InputError
from pulink.explanation.short_paths import Path, strongest_paths
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.pairs import resolve_pairs
from pulink.methods.pull_plus.contributions import by_subject
from pulink.text import counted

Longs = npt.NDArray[np.int64]

_N_COMMON, _N_PATHS, _N_SHARED = 5, 3, 5
_SPOKEN_SIGNALS = 3
_SPOKEN_SIZE = 0.05
_BLOCK = 4_096
_GAP = " is missing"
# Controls, invisible marks, lone surrogates, and what breaks a line.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@dataclass(frozen=True)
class Reasons:
    """What speaks for the link i - j.

    pair      i, j
    n_common  how many common neighbours they have
    common    up to 5 of them, the lowest degree first, then the lower number
    paths     up to 3 (u, v) with edges i - u - v - j, the largest 1 / (d_u d_v) first; those through a node of
              `common` stand behind all others
    shared    up to 5 columns of the features that both have, the rarest first
    n_shared  how many they share in all
    signals   of PULL+ only: what signals are about and what they add to the log-odds, the largest size first
    """

    pair: tuple[int, int]
    n_common: int
    common: tuple[int, ...]
    paths: tuple[Path, ...]
    shared: tuple[int, ...]
    n_shared: int
    signals: tuple[tuple[str, float], ...] = ()


def find_reasons(graph: Graph, pairs: object, features: Features | None = None) -> list[Reasons]:
    """The reasons for each pair (names, or k x 2 node numbers), without signals.

    features  by default the graph's; a model from a folder has its own

    Attributes are columns of sparse features, or of dense ones that hold only 0 and 1; two nodes share one if both
    have an entry there. Columns with a negative entry are numbers brought to mean 0, which are not shared.

    Time is in proportion to the rows of the pair's nodes, plus some milliseconds for its paths at most: from the
    end with less around it, neighbours of low degree are tried first, until a million entries are read. On graphs
    of up to half a million edges nothing is missed; on larger ones weak paths may be, which go past hubs.
    """
    ends = resolve_pairs(graph, pairs)
    table = _attributes(graph.features if features is None else features, graph.n_nodes)
    blocks = (ends[start : start + _BLOCK] for start in range(0, len(ends), _BLOCK))
    return [reasons for block in blocks for reasons in _of_block(graph, block, table)]


def with_signals(
    found: Sequence[Reasons], columns: Sequence[str], contributions: npt.NDArray[np.float64]
) -> list[Reasons]:
    """The same reasons with the signals of PULL+: contributions (k x S) of the columns of `PairSignals.names`."""
    subjects = by_subject(columns, contributions)
    rows = np.stack(list(subjects.values()), axis=1).tolist()
    return [
        replace(
            reasons, signals=tuple(sorted(zip(subjects, row, strict=True), key=lambda signal: -abs(signal[1])))
        )
        for reasons, row in zip(found, rows, strict=True)
    ]


def _of_block(graph: Graph, pairs: Longs, attributes: tuple[Adjacency, Longs] | None) -> Iterator[Reasons]:
    n_common, common = _lightest(graph.adjacency, pairs, graph.degrees, _N_COMMON)
    n_shared, shared = np.zeros(len(pairs), np.int64), np.empty((len(pairs), 0), np.int64)
    if attributes is not None:
        n_shared, shared = _lightest(attributes[0], pairs, attributes[1], _N_SHARED)
    paths = strongest_paths(graph.adjacency, pairs, common, _N_PATHS)
    for p, (i, j) in enumerate(pairs.tolist()):
        yield Reasons(
            (i, j), int(n_common[p]), _members(common[p]), paths[p], _members(shared[p]), int(n_shared[p])
        )


def _lightest(rows: Adjacency, pairs: Longs, weights: Longs, most: int) -> tuple[Longs, Longs]:
    """How many members both rows of a pair have (k), and those of least weight (k x most, padded by -1)."""
    starts, members = common_neighbours(rows, pairs)
    counts = np.diff(starts).astype(np.int64)
    owners = np.repeat(np.arange(len(pairs)), counts)
    # Members ascend within a row, and the sort is stable: the lower number comes first among equals.
    members = members[np.lexsort((weights[members], owners))]
    ranks = np.arange(len(members)) - starts[owners]
    kept = ranks < most
    table = np.full((len(pairs), most), -1, dtype=np.int64)
    table[owners[kept], ranks[kept]] = members[kept]
    return counts, table


def _members(row: Ints) -> tuple[int, ...]:
    return tuple(row[row >= 0].tolist())


def _attributes(features: Features | None, n_nodes: int) -> tuple[Adjacency, Longs] | None:
    """The attributes of each node as sorted rows, and how many nodes have each; None if features are numbers."""
    if features is None:
        return None
    if features.shape[0] != n_nodes:
        rows, nodes = counted(features.shape[0], "row"), counted(n_nodes, "node")
        raise InputError(f"features have {rows}, the graph has {nodes}")
    if not sp.issparse(features) and not _is_binary(np.asarray(features)):
        return None
    matrix = sp.csr_array(features)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    n_columns = matrix.shape[1]
    signed = np.bincount(matrix.indices[matrix.data < 0], minlength=n_columns) > 0
    kept = (matrix.data > 0) & ~signed[matrix.indices]
    columns = matrix.indices[kept].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr].astype(index_dtype(len(columns)))
    return Adjacency(starts, columns), np.bincount(columns, minlength=n_columns)


def _is_binary(features: npt.NDArray[np.floating]) -> bool:
    blocks = (features[start : start + _BLOCK] for start in range(0, len(features), _BLOCK))
    return all(bool(((block == 0) | (block == 1)).all()) for block in blocks)


def in_words(reasons: Reasons, graph: Graph, feature_names: tuple[str, ...] | None) -> list[str]:
    """Short sentences for a person. Names are as they came, but for characters that cannot be seen.

    feature_names  what the columns of the features are called; without, they are numbered
    """
    sentences = [
        *_common_words(reasons, graph),
        *_path_words(reasons.paths, graph),
        *_shared_words(reasons, feature_names),
    ]
    if not sentences:
        alone = "" if reasons.signals else ": only the method's own score speaks for it"
        sentences = [f"no short path and no shared attribute{alone}"]
    return [*sentences, *_signal_words(reasons.signals)]


def _common_words(reasons: Reasons, graph: Graph) -> Iterator[str]:
    named = [f"{_quoted(graph, u)} ({counted(int(graph.degrees[u]), 'link')})" for u in reasons.common]
    if named:
        yield f"{counted(reasons.n_common, 'common neighbour')}: {_listed(named, reasons.n_common)}"


def _path_words(paths: tuple[Path, ...], graph: Graph) -> Iterator[str]:
    ways = [f"through {_quoted(graph, u)} and {_quoted(graph, v)}" for u, v in paths]
    if ways:
        yield f"a path {', one '.join(ways)}"


def _shared_words(reasons: Reasons, feature_names: tuple[str, ...] | None) -> Iterator[str]:
    named = [_attribute(column, feature_names) for column in reasons.shared]
    # A gap that both have in a table is no attribute.
    attributes = [name for name in named if not name.endswith(_GAP)]
    n_attributes = reasons.n_shared - (len(named) - len(attributes))
    if attributes:
        yield f"{counted(n_attributes, 'shared attribute')}: {_listed(attributes, n_attributes)}"


def _signal_words(signals: tuple[tuple[str, float], ...]) -> Iterator[str]:
    """The strongest on either side; what would be written as 0.0 is left out."""
    spoken = [(f"{family} ({size:+.1f})", size) for family, size in signals if abs(size) >= _SPOKEN_SIZE]
    pro = ", ".join([words for words, size in spoken if size > 0][:_SPOKEN_SIGNALS])
    contra = ", ".join([words for words, size in spoken if size < 0][:_SPOKEN_SIGNALS])
    if pro:
        yield f"what speaks for it: {pro}" + (f"; against it: {contra}" if contra else "")
    elif contra:
        yield f"what speaks against it: {contra}"


def _attribute(column: int, names: tuple[str, ...] | None) -> str:
    """As node tables call their columns: `column=category`, or `column: word` of a text."""
    if names is None or column >= len(names):
        return f"number {column}"
    name = _visible(names[column])
    category, word = name.find("="), name.find(": ")
    if category > 0 and (word < 0 or category < word):
        return f"{name[:category]} = {name[category + 1 :]}"
    if word > 0:
        return f"word {name[word + 2 :]} in {name[:word]}"
    return name


def _listed(named: list[str], count: int) -> str:
    more = f" and {count - len(named):,} more" if count > len(named) else ""
    return ", ".join(named) + more


def _quoted(graph: Graph, node: int) -> str:
    return f'"{_visible(graph.names[node])}"'


def _visible(text: str) -> str:
    """Names come from other people's files: what cannot be seen is written as `\\x1b`."""
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in _HIDDEN else c for c in text)
