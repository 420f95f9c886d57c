"""What a training by several workers is told: numbers and names, as JSON can hold them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

from pulink.nn.sharded.trainer import GCNSettings


@dataclass(frozen=True)
class LoopSettings:
    """As the parameters of PULL.

    budget  how many iterations, where that is known; None: until validation AUROC no longer rises
    """

    gcn: GCNSettings
    n_epochs: int
    max_iterations: int
    growth: float
    n_hubs: int
    correction: bool
    stop: bool
    patience: int
    warm_start: bool
    reduction: str
    hub_pairs_twice: bool
    mean_weight: float
    budget: int | None = None

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds them."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """What `to_plain` gave."""
        return cls(**(plain | {"gcn": GCNSettings(**plain["gcn"])}))
