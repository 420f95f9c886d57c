"""How many links are missing by another method: an estimate that hangs on the method is worth less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pulink.calibration.missing_links import MissingLinks
from pulink.errors import PulinkError
from pulink.methods.registry import METHODS
from pulink.predictor.costs import cost_of

if TYPE_CHECKING:
    from pulink.graph.graph import Graph
    from pulink.predictor.predictor import LinkPredictor

# Untrained methods; the first that was not asked for anyway.
_METHODS = ("l3n", "resource-allocation")
# It may take so many processor seconds, or this share of what the method that was asked for takes.
_SECONDS, _SHARE = 3.0, 0.1


@dataclass(frozen=True)
class SecondEstimate:
    """The number of missing links by another method."""

    method: str
    missing: MissingLinks

    def to_dict(self) -> dict[str, Any]:
        """As run.json holds it."""
        return {"method": self.method} | self.missing.to_dict()


def second_estimate(model: LinkPredictor, method: str, graph: Graph) -> SecondEstimate | None:
    """What another method says of the graph of a fitted model; None where it is dear, or nothing is asked."""
    if model.missing_share is not None or model.estimate_missing() is None:
        return None
    name = next(name for name in _METHODS if name != method)
    other = METHODS[name].make(seed=model.seed, threads=model.threads, val_ratio=model.val_ratio)
    first, cost = cost_of(model, graph), cost_of(other, graph)
    most = max(_SECONDS, _SHARE * first.seconds) if first is not None else _SECONDS
    if cost is None or cost.seconds > most:
        return None
    try:
        missing = other.fit(graph).estimate_missing()
    except PulinkError:
        return None
    return None if missing is None else SecondEstimate(name, missing)
