"""Which pair is asked about next, and which answers are those of a random sample.

Every stratum has a random order of its pairs, and is asked about from its beginning. Somebody may have looked up a
pair before its turn came. Once its turn has come, and a later pair of the stratum was drawn, its answer counts as
any other does: left out, the sample would lack what people look up, which is mostly links.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pulink.calibration.review.design import ReviewDesign
from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError
from pulink.explanation.node_names import type_of
from pulink.graph.graph import Graph
from pulink.persistence.ledger import CONTROL, OWN, SAMPLE, UNSURE, Ledger, QuestionRow
from pulink.workflows.review.decisions import Decision

Ints = npt.NDArray[np.int64]


def question_row(
    graph: Graph, pair: Ints, kind: str, rank: int | None = None, stratum: int | None = None
) -> QuestionRow:
    """A question about a pair of nodes, not asked yet."""
    first, second = pair.tolist()
    names = graph.names[first], graph.names[second]
    return QuestionRow(0, *names, type_of(graph, first), type_of(graph, second), kind, rank, stratum)


def resolved(graph: Graph, first: tuple[str, str], second: tuple[str, str]) -> Ints:
    """Node numbers (2) of two ends by name and type, as the pair is written."""
    ends = []
    for name, kind in (first, second):
        node = graph.names.node_of_type(name, kind) if kind else None
        ends.append(int(graph.names.index_of([name])[0]) if node is None else node)
    if ends[0] == ends[1]:
        raise InputError(f"a link needs two different nodes, got {first[0]!r} twice")
    pair = np.array([ends], dtype=np.int64)
    if not graph.pair_space.allowed(pair)[0]:
        raise InputError(f"{first[0]!r} and {second[0]!r} are not of types whose links are asked about")
    return np.asarray(graph.pair_space.ordered(pair)[0].astype(np.int64))


def pair_of(graph: Graph, question: QuestionRow) -> Ints:
    """The node numbers of a question (2)."""
    return resolved(graph, (question.source, question.source_type), (question.target, question.target_type))


class Drawing:
    """The pairs of one design, in the order in which they are drawn.

    pairs  those of the zone, best first (zone x 2)
    """

    def __init__(self, graph: Graph, design: ReviewDesign, ledger: Ledger, pairs: Ints) -> None:
        self.graph, self.design, self.ledger, self.pairs = graph, design, ledger, pairs

    @cached_property
    def _ranks(self) -> dict[int, int]:
        """The rank of each pair of the zone, by its code."""
        codes = self.graph.pair_space.codes(self.pairs).tolist()
        return {code: rank for rank, code in enumerate(codes)}

    def _rank(self, question: QuestionRow) -> int | None:
        pair = pair_of(self.graph, question)
        return self._ranks.get(int(self.graph.pair_space.codes(pair[None])[0]))

    def sampled(self, known: Sequence[Decision]) -> list[tuple[int, Decision]]:
        """Rank and decision of each pair whose turn has come."""
        found = [(d.question.rank, d) for d in known if d.question.kind == SAMPLE and d.question.rank is not None]
        own = [d for d in known if d.question.kind == OWN]
        if not own:
            return found
        reach = self._reach(found)
        for decision in own:
            rank = self._rank(decision.question)
            if rank is not None and self.design.place_of(rank) < reach[self.design.stratum_of(rank)]:
                found.append((rank, decision))
        return found

    def _reach(self, drawn: Sequence[tuple[int, Decision]]) -> list[int]:
        """By stratum: of how many pairs, in their order, the turn has come."""
        reach = [0] * self.design.n_strata
        for rank, _ in drawn:
            stratum = self.design.stratum_of(rank)
            reach[stratum] = max(reach[stratum], self.design.place_of(rank) + 1)
        return reach

    def next_question(self, known: Sequence[Decision], busy: Collection[int]) -> QuestionRow | None:
        """A new pair of the stratum whose turn it is; another takes the place of one that is unsure.

        busy  questions that others are just being asked
        """
        drawn = self.sampled(known)
        places, counted = self._reach(drawn), [0] * self.design.n_strata
        for rank, decision in drawn:
            counted[self.design.stratum_of(rank)] += decision.answer != UNSURE
        by_pair = {decision.question.ends: decision for decision in known}
        while (stratum := self.design.next_stratum(counted, places)) is not None:
            rank = self.design.draw(stratum, places[stratum])
            places[stratum] += 1
            row = question_row(self.graph, self.pairs[rank], SAMPLE, rank, stratum)
            before = by_pair.get(row.ends)
            if before is None and (asked := self.ledger.add_question(row)) is not None:
                return asked
            # Somebody has looked it up, or another process was faster and asks about it.
            if before is not None and before.answer is None and before.question.id not in busy:
                return before.question
            counted[stratum] += before is None or before.answer != UNSURE
        return None

    def control(self, count: int) -> QuestionRow | None:
        """A recorded link, after so many others."""
        order = permutation(stream_key(self.design.seed, "review controls"), self.graph.n_edges)
        for place in order[count:].tolist():
            pair = self.graph.edges[place].astype(np.int64)
            if (asked := self.ledger.add_question(question_row(self.graph, pair, CONTROL))) is not None:
                return asked
        return None
