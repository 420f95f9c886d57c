"""`explain`: how likely a link between two nodes is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.explanation.explain import facts
from pulink.explanation.facts import PairFacts
from pulink.explanation.reasons import Reason, reasons_of
from pulink.graph.graph import Graph
from pulink.graph.pairs import resolve_pairs
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.methods.registry import load_model
from pulink.persistence.sharded_model_reading import sharded_place
from pulink.predictor.predictor import LinkPredictor
from pulink.text import listed
from pulink.workflows.formats.documents import document
from pulink.workflows.sharded.answers.model import ShardedModel


@dataclass(frozen=True)
class Explanation:
    """What a model says of a pair, and the facts of the graph that speak for it.

    Attributes
    ----------
    source, target : object
        The two nodes, as they were given.
    probability : float
        That they are linked; of an edge, that of an unrecorded pair with its score.
    low, high : float or None
        The ends of its 90% interval; None where too few edges could be hidden.
    known : str or None
        "link" or "no link" where that is known.
    facts : PairFacts
        Common neighbours, short paths, shared attributes and signals, by their numbers.
    graph : Graph
        Of the model.
    """

    source: object
    target: object
    probability: float
    low: float | None
    high: float | None
    known: str | None
    facts: PairFacts
    graph: Graph

    @property
    def reasons(self) -> list[Reason]:
        """What speaks for it and against it, the main reason first."""
        return reasons_of(self.facts, self.graph, self.graph.feature_names)

    def record(self) -> dict[str, Any]:
        """All of it as names and numbers."""
        found, names, columns, reasons = self.facts, self.graph.names, self.graph.feature_names, self.reasons
        fields = {
            self.graph.ends[0]: self.source,
            self.graph.ends[1]: self.target,
            "probability": self.probability,
            "probability_low": self.low,
            "probability_high": self.high,
            "known": self.known,
            "reason": reasons[0].text,
            "reasons": [reason.to_dict() for reason in reasons],
            "n_common_neighbours": found.n_common,
            "common_neighbours": [names[node] for node in found.common],
            "paths": [[names[u], names[v]] for u, v in found.paths],
            "n_shared_attributes": found.n_shared,
            "shared_attributes": [str(column) if columns is None else columns[column] for column in found.shared],
            "signals": dict(found.signals),
        }
        return document(fields)


def _refuse_other_types(graph: Graph, pair: npt.NDArray[np.int64], source: object, target: object) -> None:
    space = graph.pair_space
    if not isinstance(space, TypedPairs) or space.allowed(pair)[0]:
        return
    first, second = (space.type_names[space.types[node]] for node in pair[0])
    linked = listed(f"{space.type_names[a]} - {space.type_names[b]}" for a, b in space.between)
    raise InputError(
        f"{source!r} ({first}) and {target!r} ({second}) are not of types whose links are asked about: {linked}"
    )


def explain(model: LinkPredictor | str | Path, source: object, target: object) -> Explanation:
    """Say how likely a link between two nodes is, and why.

    Parameters
    ----------
    model : LinkPredictor, str or Path
        A fitted model, its folder, or the folder that `find` wrote. Of a graph in parts, only what the answer
        looks at is read from its folder.
    source, target : object
        Two nodes by their names or numbers; the link of a directed graph leads from the first to the second.

    Returns
    -------
    Explanation
    """
    fitted, pair = _resolved(model, source, target)
    graph = fitted.graph_
    _refuse_other_types(graph, pair, source, target)
    pair = graph.pair_space.ordered(pair).astype(np.int64)
    known = "link" if graph.has_edges(pair)[0] else "no link" if graph.is_absent(pair)[0] else None
    probability = float(fitted.predict_proba(pair)[0])
    low, high = fitted.probability_interval(pair)
    first, last = (None if end is None else float(end[0]) for end in (low, high))
    return Explanation(source, target, probability, first, last, known, facts(fitted, pair)[0], graph)


def _resolved(
    model: LinkPredictor | str | Path, source: object, target: object
) -> tuple[LinkPredictor, npt.NDArray[np.int64]]:
    """A model that knows the pair, and the numbers of its nodes there (1 x 2)."""
    if not isinstance(model, LinkPredictor) and (place := sharded_place(model)) is not None:
        parts = ShardedModel.open(place)
        pair = np.array([[parts.number(source), parts.number(target)]])
        _refuse_loop(pair, source)
        return parts.around(pair)
    fitted = model if isinstance(model, LinkPredictor) else load_model(model)
    pair = resolve_pairs(fitted.graph_, [(source, target)])
    _refuse_loop(pair, source)
    return fitted, pair


def _refuse_loop(pair: npt.NDArray[np.int64], source: object) -> None:
    if pair[0, 0] == pair[0, 1]:
        raise InputError(f"a link needs two different nodes, got {source!r} twice")
