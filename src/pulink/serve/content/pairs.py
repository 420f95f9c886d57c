"""One pair or one node: what is known of it, why it may be a link, and its surroundings.

While somebody may still be asked about a pair, nothing tells what the model thinks of it: neither its probability
nor the reasons' sizes, which are parts of its score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pulink.explanation.explain import facts
from pulink.explanation.explain import reasons as reasons_by_model
from pulink.explanation.facts import PairFacts, find_facts
from pulink.persistence.ledger import CONTROL, QuestionRow
from pulink.predictor.link_lists import frame
from pulink.serve.content.drawing import surroundings
from pulink.serve.content.estimates import Estimates
from pulink.serve.content.nodes import Node, Nodes, Pair
from pulink.workflows.explain import Explanation
from pulink.workflows.finding import output as find_output
from pulink.workflows.review.decisions import Decision
from pulink.workflows.review.question_text import graph_reasons
from pulink.workflows.review.session import ReviewSession

_NEIGHBOURS = 200
_LINKS_OF_NODE = 20
_LINKS_DRAWN = 8


class Pairs:
    """What a model, its graph and a review say of pairs and nodes.

    Parameters
    ----------
    session : ReviewSession
        The review.
    nodes : Nodes
        Of its graph.
    estimates : Estimates
        What the answers tell.
    """

    def __init__(self, session: ReviewSession, nodes: Nodes, estimates: Estimates) -> None:
        self._session, self._nodes, self._estimates = session, nodes, estimates

    def decision(self, pair: Pair) -> Decision | None:
        """What was asked and answered about a pair."""
        wanted = pair.tolist()
        alike = (d for d in self._session.decisions() if self._session.pair_of(d.question).tolist() == wanted)
        return next(alike, None)

    def pair(self, source: Node, target: Node, reveal: bool) -> dict[str, Any]:
        """All of one pair; what the model thinks of it only once it was answered, or if it is asked for."""
        pair = self._nodes.pair(source, target)
        decision = self.decision(pair)
        is_open = decision is None or decision.answer is None
        blind = is_open and not reveal
        is_asked = blind and decision is not None and decision.question.kind == CONTROL
        model = self._session.model
        why = graph_reasons(model.graph_, pair) if blind else reasons_by_model(model, pair[None, :])[0]
        first, second = pair.tolist()
        found = find_facts(self._session.graph, pair[None, :])[0]
        values = {
            "source": self._nodes.to_dict(first),
            "target": self._nodes.to_dict(second),
            "known": None if is_asked else self.known(pair[None, :])[0],
            "reasons": [reason.to_dict() for reason in why],
            "drawing": surroundings(self._nodes, [first, second], _mentioned(found), blind=is_asked),
            "question": None if decision is None else decision.question.id,
            "answer": None if decision is None else decision.answer,
            "history": [] if decision is None else [answer_values(row) for row in decision.history],
        }
        return values if blind else values | self.scores(pair[None, :])[0]

    def known(self, pairs: Any) -> list[str | None]:
        """Of each pair (k x 2), whether it is recorded as a link or as none."""
        graph = self._session.graph
        edges, absent = graph.has_edges(pairs).tolist(), graph.is_absent(pairs).tolist()
        return ["link" if edge else "no link" if none else None for edge, none in zip(edges, absent, strict=True)]

    def scores(self, pairs: Any) -> list[dict[str, Any]]:
        """Probabilities of pairs (k x 2) by the answers so far, with 90% intervals."""
        model = self._estimates.model()
        low, high = model.probability_interval(pairs)
        none = [None] * len(pairs)
        columns = (model.predict_proba(pairs).tolist(), _listed(low) or none, _listed(high) or none)
        return [
            {"probability": probability, "low": first, "high": last, "known": known}
            for probability, first, last, known in zip(*columns, self.known(pairs), strict=True)
        ]

    def score(self, pairs: Sequence[Sequence[Node]]) -> dict[str, Any]:
        """The same for pairs by their names."""
        if not pairs:
            return {"scores": []}
        return {"scores": self.scores(np.array([self._nodes.pair(source, target) for source, target in pairs]))}

    def explain(self, source: Node, target: Node) -> dict[str, Any]:
        """What `pulink explain --json` prints."""
        pair = self._nodes.pair(source, target)[None, :]
        graph, told = self._session.graph, self.scores(pair)[0]
        first, second = (graph.names[node] for node in pair[0].tolist())
        return Explanation(
            first, second, told["probability"], told["low"], told["high"], told["known"],
            facts(self._session.model, pair)[0], graph,
        ).record()  # fmt: skip

    def suggest(self, node: Node, top: int) -> dict[str, Any]:
        """What `pulink suggest --json` prints."""
        number = self._nodes.number(node)
        pairs, found = self._likeliest(number, top)
        why = reasons_by_model(self._session.model, pairs)
        return {
            "node": self._nodes.names[number],
            "links": find_output.link_records(self._session.graph, found, why),
        }

    def _likeliest(self, node: int, top: int) -> tuple[Any, Any]:
        """The likeliest links of a node: pairs (k x 2), and as a frame."""
        model = self._estimates.model()
        pairs = self._session.graph.open_pairs(node)
        scores = model._scored(pairs)
        order = np.argsort(-scores, kind="stable")[:top]
        return pairs[order], frame(model, pairs[order], scores[order], 0.0)

    def node(self, given: Node) -> dict[str, Any]:
        """A node, whom it is linked with, its likeliest links and its surroundings."""
        node = self._nodes.number(given)
        pairs, found = self._likeliest(node, _LINKS_OF_NODE)
        answers = {tuple(self._session.pair_of(d.question).tolist()): d.answer for d in self._session.decisions()}
        rows = found.select("rank", "probability", "probability_low", "probability_high").rows()
        return {
            "node": self._nodes.to_dict(node),
            "degree": int(self._session.graph.degrees[node]),
            "neighbours": [
                self._nodes.with_degree(other)
                for other in self._session.graph.neighbours(node)[:_NEIGHBOURS].tolist()
            ],
            "links": [
                {
                    "rank": rank,
                    "source": self._nodes.to_dict(first),
                    "target": self._nodes.to_dict(second),
                    "probability": probability,
                    "low": low,
                    "high": high,
                    "answer": answers.get(tuple(self._written(first, second))),
                }
                for (first, second), (rank, probability, low, high) in zip(pairs.tolist(), rows, strict=True)
            ],
            "drawing": surroundings(self._nodes, [node], set(pairs[:_LINKS_DRAWN].ravel().tolist()) - {node}),
        }

    def _written(self, first: int, second: int) -> list[int]:
        written: list[int] = self._session.graph.pair_space.ordered(np.array([[first, second]]))[0].tolist()
        return written


def answer_values(row: Any) -> dict[str, Any]:
    """An answer as JSON holds it."""
    return {
        "id": row.id,
        "question": row.question,
        "reviewer": row.reviewer,
        "answer": row.answer,
        "note": row.note,
        "seconds": row.seconds,
        "supersedes": row.supersedes,
    }


def question_values(question: QuestionRow) -> dict[str, Any]:
    """A question, without what the model thinks of it."""
    return {
        "id": question.id,
        "source": {"name": question.source, "type": question.source_type},
        "target": {"name": question.target, "type": question.target_type},
    }


def _mentioned(found: PairFacts) -> set[int]:
    """Nodes that reasons speak of."""
    ways = (node for way in found.ways for node in way.nodes)
    return {*found.common, *(node for path in found.paths for node in path), *ways}


def _listed(values: Any) -> list[float] | None:
    return None if values is None else [float(value) for value in values]
