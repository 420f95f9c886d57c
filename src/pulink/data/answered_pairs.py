"""Answers of people about pairs of a graph's nodes, in a table: which pairs are links, and which are none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.absent_pairs import pair_numbers
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.pairs import pair_text
from pulink.graph.tables.table import Table
from pulink.text import counted, shown

# What may stand in the column `answer`, in any case; nothing: nobody has answered.
LINK, NO_LINK, UNSURE = "link", "no link", "unsure"
WORDS = {
    LINK: ("link", "yes", "y", "a", "1", "1.0", "true"),
    NO_LINK: ("no link", "no", "n", "x", "0", "0.0", "false"),
    UNSURE: ("unsure", "?", "taken back", ""),
}
_MEANING = {word: answer for answer, words in WORDS.items() for word in words}

_ANSWER, _KIND, _CONTROL = "answer", "kind", "control"
_TYPES = "source_type", "target_type"

Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AnsweredPairs:
    """accepted, rejected: node numbers (k x 2), each pair once.

    n_open   pairs of which nobody is sure, or of which some say a link and others none
    strange  names of nodes that the graph does not have; their pairs are left out
    where    what to call the source of the answers
    """

    accepted: Pairs
    rejected: Pairs
    n_open: int
    n_strange: int
    strange: str | None
    where: str

    def taught(self, graph: Graph) -> Graph:
        """The graph in which accepted pairs are edges and rejected ones known non-links.

        A rejected pair that was recorded stays an edge, and is told of.
        """
        recorded = graph.has_edges(self.rejected)
        apart = self.rejected[~recorded]
        absent = apart if graph.absent is None else np.concatenate([graph.absent, apart])
        try:
            found = graph.with_accepted(self.accepted)
            found = found.with_absent(absent) if len(absent) else found
        except InputError as error:
            raise InputError(f"{self.where}: {error}") from error
        edges = counted(len(self.accepted), "accepted pair is an edge", "accepted pairs are edges")
        none = counted(len(apart), "rejected one known to be no link", "rejected ones known to be no links")
        notes = [f"by {self.where} {edges} and {none}"]
        if recorded.any():
            first = pair_text(graph, self.rejected[np.flatnonzero(recorded)[0]])
            stay = counted(int(recorded.sum()), "rejected pair stays an edge", "rejected pairs stay edges")
            notes.append(f"{stay}, because the edges hold it: the first is {first}")
        if self.n_strange:
            named = counted(self.n_strange, "answered pair names", "answered pairs name")
            notes.append(f"{named} a node that the graph does not have, the first is {self.strange}")
        return replace(found, cleaning=replace(graph.cleaning, notes=(*graph.cleaning.notes, *notes)))


def answered_pairs(table: Table, graph: Graph) -> AnsweredPairs:
    """What a table says of pairs: two columns of ends, an answer, and types where names alone do not tell."""
    if _ANSWER not in table.frame.columns:
        raise InputError(
            f"{table.where}: has no column {_ANSWER!r}: add one that says link, no link or unsure for every pair"
        )
    said = _said(table)
    numbers = _numbers(table, graph)
    if _KIND in table.frame.columns:
        # Recorded links that were mixed in, to see whether they are recognised.
        asked = (table.frame[_KIND].cast(pl.String).fill_null("") != _CONTROL).to_numpy()
        said, numbers = said[asked], numbers[asked]
        table = replace(table, frame=table.frame.filter(asked))
    known = (numbers >= 0).all(axis=1)
    decided = said != UNSURE
    if not decided.any():
        raise InputError(f"{table.where}: no pair is answered with link or no link")
    strange = np.flatnonzero(~known & decided)
    if not (known & decided).any():
        missed = _name(table, graph, strange[0])
        raise InputError(f"{table.where}: none of its pairs is of this graph, which has no node {missed}")
    accepted, rejected, n_open = _decisions(graph, numbers[known], said[known])
    name = _name(table, graph, strange[0]) if len(strange) else None
    return AnsweredPairs(accepted, rejected, n_open, len(strange), name, table.where)


def answer_of(word: str) -> str | None:
    """What a word in a column of answers means; None if it means nothing."""
    return _MEANING.get(" ".join(word.casefold().split()))


def _said(table: Table) -> npt.NDArray[np.object_]:
    """The answer of every row: link, no link or unsure."""
    words = table.frame[_ANSWER].cast(pl.String).fill_null("").to_list()
    meant = [answer_of(word) for word in words]
    for row, answer in enumerate(meant):
        if answer is None:
            raise table.fail(row, f"the answer is {shown(words[row])}; it must be link, no link, unsure or empty")
    return np.array(meant, dtype=object)


def _numbers(table: Table, graph: Graph) -> Pairs:
    """The nodes of every row (k x 2), -1 where the graph has none; types, where they are told, come first."""
    found, ends = pair_numbers(table, graph)
    if not {*_TYPES} <= {*table.frame.columns}:
        return found
    names, _ = table.names(*ends)
    for end, column in enumerate(_TYPES):
        types = table.frame[column].cast(pl.String).fill_null("")
        for row, (name, kind) in enumerate(zip(names[end].cast(pl.String), types, strict=True)):
            if kind and (node := graph.names.node_of_type(name, kind)) is not None:
                found[row, end] = node
    return found


def _name(table: Table, graph: Graph, row: int) -> str:
    """The first name of a row that the graph does not have, as messages write it."""
    numbers, ends = pair_numbers(table, graph)
    names, _ = table.names(*ends)
    end = 0 if numbers[row, 0] < 0 else 1
    return shown(names[end].cast(pl.String)[int(row)])


def _decisions(graph: Graph, numbers: Pairs, said: npt.NDArray[np.object_]) -> tuple[Pairs, Pairs, int]:
    """Accepted pairs, rejected ones, and how many are neither: several rows may be about one pair."""
    space = graph.pair_space
    by_pair: dict[tuple[int, int], set[str]] = {}
    for (first, second), answer in zip(space.ordered(numbers).tolist(), said, strict=True):
        by_pair.setdefault((first, second), set()).add(answer)
    sides: dict[str, list[tuple[int, int]]] = {LINK: [], NO_LINK: []}
    for pair, answers in by_pair.items():
        if len(decided := answers - {UNSURE}) == 1:
            sides[decided.pop()].append(pair)
    accepted, rejected = (np.array(sides[side], dtype=np.int64).reshape(-1, 2) for side in (LINK, NO_LINK))
    return accepted, rejected, len(by_pair) - len(accepted) - len(rejected)
