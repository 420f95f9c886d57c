"""What `find` is asked: of which graph, by which method, and which list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.engine.threads import thread_count
from pulink.methods.registry import method as method_by_name
from pulink.predictor.predictor import LinkPredictor
from pulink.workflows.finding.options import written
from pulink.workflows.link_query import LinkQuery

USUAL_METHOD = "pull-plus"


@dataclass(frozen=True)
class FindRequest:
    """What is asked: of which graph, by which method, and which list of links.

    edges, nodes, known_absent, reviews  see `pulink.find`
    settings                             of the method; `missing_share` and `effort` among them
    """

    edges: Any
    nodes: Any = None
    known_absent: Any = None
    query: LinkQuery = field(default_factory=LinkQuery)
    method: str = USUAL_METHOD
    seed: int = 0
    threads: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    reading: ReadOptions = AS_FOUND
    reviews: Any = None

    def model(self) -> LinkPredictor:
        """The predictor, not fitted yet."""
        entry = method_by_name(self.method)
        entry.check_free(self.settings)
        model = entry.make(**({"seed": self.seed, "threads": thread_count(self.threads)} | dict(self.settings)))
        model.check_settings()
        return model

    def call(self) -> str:
        """One line of Python that asks the same."""
        asked = asdict(self.query) | {
            "min_probability": self.query.min_probability or None,
            "method": None if self.method == USUAL_METHOD else self.method,
            "seed": self.seed or None,
            "threads": self.threads,
        }
        given = {"nodes": self.nodes} | asked | {"known_absent": self.known_absent, "reviews": self.reviews}
        every = {name: value for name, value in given.items() if value is not None}
        every |= dict(self.settings) | self.reading.given()
        named = [f"{name}={written(name, value)}" for name, value in every.items()]
        return f"pulink.find({', '.join([written('edges', self.edges), *named])})"
