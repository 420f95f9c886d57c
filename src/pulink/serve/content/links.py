"""The list of links: prepared once, its probabilities and answers renewed when somebody has answered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from pulink.persistence.ledger import ANSWERS
from pulink.predictor.link_lists import frame, ordered
from pulink.report.find.groups import groups_of
from pulink.serve.content.estimates import Estimates, Key
from pulink.serve.content.nodes import Node, Nodes
from pulink.serve.json_text import json_bytes
from pulink.workflows.review.session import ReviewSession

# So many of the best pairs are listed at least; all that may be asked about are.
LEAST_LISTED = 10_000
MOST_PER_PAGE = 10_000

ANY, ANSWERED, OPEN = "any", "yes", "no"
ANSWERED_VALUES = (ANY, ANSWERED, OPEN, *ANSWERS[:3])
# What a list can be sorted by, and by which columns that is.
SORTS = {"rank": ("place",), "source": ("source", "target", "place"), "target": ("target", "source", "place")}

# Groups of larger graphs take too long to find; smaller ones are no groups.
_MOST_EDGES, _LEAST_NODES, _MOST_GROUPS = 500_000, 3, 50


@dataclass(frozen=True)
class LinksQuery:
    """Which links of the list are asked for.

    Attributes
    ----------
    min_probability, max_probability : float
        Both ends are among them.
    node : str, mapping or None
        Only links of this node.
    group : int or None
        Only links within this group.
    answered : str
        any, yes, no, or what was answered.
    page, size : int
        Which page, from 1, and how many links are on one.
    sort : str
        rank, source or target.
    """

    min_probability: float = 0.0
    max_probability: float = 1.0
    node: Node | None = None
    group: int | None = None
    answered: str = ANY
    page: int = 1
    size: int = 50
    sort: str = "rank"


class Links:
    """The best pairs of a model, by what has been answered.

    Parameters
    ----------
    session : ReviewSession
        Of the model.
    nodes : Nodes
        Of its graph.
    estimates : Estimates
        What the answers tell.
    """

    def __init__(self, session: ReviewSession, nodes: Nodes, estimates: Estimates) -> None:
        self._session, self._nodes, self._estimates = session, nodes, estimates
        self._known: tuple[Key, pl.DataFrame] | None = None

    @cached_property
    def _best(self) -> tuple[Any, Any]:
        """Pairs (k x 2) and scores, best first: answers do not change their order."""
        session = self._session
        if session.design.zone >= LEAST_LISTED:
            return session.zone_pairs, session.zone_scores
        found, _ = session.model.best_pairs(LEAST_LISTED)
        return ordered(session.graph.pair_space, found, session.model._scored(found))

    @cached_property
    def _groups(self) -> Any:
        """Of each node, by recorded links; 0 is the largest."""
        graph = self._session.graph
        if graph.n_edges > _MOST_EDGES:
            return np.arange(graph.n_nodes)
        return groups_of(graph.n_nodes, graph.edges.astype(np.int64))

    @cached_property
    def groups(self) -> list[dict[str, Any]]:
        """The largest groups: how many nodes each has, and around whom."""
        sizes = np.bincount(self._groups, minlength=1)[:_MOST_GROUPS]
        found = []
        for group, n_nodes in enumerate(sizes.tolist()):
            if n_nodes < _LEAST_NODES:
                break
            members = np.flatnonzero(self._groups == group)
            first = int(members[np.argmax(self._session.graph.degrees[members])])
            found.append({"group": group, "n_nodes": n_nodes, "around": self._nodes.to_dict(first)})
        return found

    @cached_property
    def _ends(self) -> pl.DataFrame:
        """What does not change: both nodes of each link, and the group that both belong to."""
        pairs, _ = self._best
        first, second = (self._groups[pairs[:, end]] for end in (0, 1))
        shared = np.where((first == second) & (first < len(self.groups)), first, -1)
        types = pl.Series(self._nodes.types, dtype=pl.String)
        return pl.DataFrame(
            {
                "place": np.arange(len(pairs)),
                "first": pairs[:, 0],
                "second": pairs[:, 1],
                "source_type": types.gather(pairs[:, 0]),
                "target_type": types.gather(pairs[:, 1]),
                "group": pl.Series(shared).replace(-1, None),
            }
        )

    @property
    def frame(self) -> pl.DataFrame:
        """The whole list, by the answers so far."""
        key = self._estimates.key()
        if self._known is None or self._known[0] != key:
            model = self._estimates.model()
            pairs, scores = self._best
            listed = frame(model, pairs, scores, 0.0).select(
                "rank", "source", "target", "probability", low="probability_low", high="probability_high"
            )
            self._known = key, pl.concat([listed, self._ends], how="horizontal").with_columns(self._answers())
        return self._known[1]

    def _answers(self) -> pl.Series:
        """What was decided about each link of the list."""
        pairs, _ = self._best
        space = self._session.graph.pair_space
        decided = [d for d in self._session.decisions() if d.answer is not None]
        found = np.full(len(pairs), None, dtype=object)
        if decided and len(pairs):
            asked = np.array([self._session.pair_of(d.question) for d in decided])
            codes, order = self._codes
            wanted = space.codes(asked)
            places = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
            for place, code, decision in zip(places.tolist(), wanted.tolist(), decided, strict=True):
                if codes[place] == code:
                    found[order[place]] = decision.answer
        return pl.Series("answer", found.tolist(), dtype=pl.String)

    @cached_property
    def _codes(self) -> tuple[Any, Any]:
        codes = self._session.graph.pair_space.codes(self._best[0])
        order = np.argsort(codes, kind="stable")
        return codes[order], order

    def page(self, query: LinksQuery) -> dict[str, Any]:
        """One page of the links that are asked for."""
        links, others = self._page(query)
        return {"links": links.to_dicts()} | others

    def page_json(self, query: LinksQuery) -> bytes:
        """The same as JSON, ten times as fast: a page may have 10,000 links."""
        links, others = self._page(query)
        return b'{"links":' + links.write_json().encode() + b"," + json_bytes(others)[1:]

    def _page(self, query: LinksQuery) -> tuple[pl.DataFrame, dict[str, Any]]:
        found = self.frame.filter(*self._wanted(query))
        if query.sort != "rank":
            found = found.sort(*SORTS[query.sort])
        shown = found.slice((query.page - 1) * query.size, query.size)
        others = {"n_links": found.height, "page": query.page, "size": query.size, "groups": self.groups}
        return _nested(shown), others

    def _wanted(self, query: LinksQuery) -> list[pl.Expr]:
        wanted = [pl.lit(True)]
        if query.min_probability > 0:
            wanted.append(pl.col("probability") >= query.min_probability)
        if query.max_probability < 1:
            wanted.append(pl.col("probability") <= query.max_probability)
        if query.node is not None:
            node = self._nodes.number(query.node)
            wanted.append((pl.col("first") == node) | (pl.col("second") == node))
        if query.group is not None:
            wanted.append(pl.col("group") == query.group)
        if query.answered in (ANSWERED, OPEN):
            wanted.append(pl.col("answer").is_not_null() == (query.answered == ANSWERED))
        elif query.answered != ANY:
            wanted.append(pl.col("answer") == query.answered)
        return wanted


def _nested(links: pl.DataFrame) -> pl.DataFrame:
    """Rows of the list as JSON holds them."""
    return links.select(
        "rank",
        pl.struct(name="source", type="source_type").alias("source"),
        pl.struct(name="target", type="target_type").alias("target"),
        "probability",
        "low",
        "high",
        "answer",
        "group",
    )
