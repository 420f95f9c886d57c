"""Whose rules an experiment measures by, where they are not those of the paper that pulink reproduces."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pulink.errors import ParameterError, UnknownNameError

# Where hidden edges come from: drawn by the seed, or the publisher's own in the dataset's file.
SPLITS = RANDOM, STORED = "random", "stored"


@dataclass(frozen=True)
class Protocol:
    """How edges are hidden, what a method is given and what its test edges are compared with.

    name          in the names of result files
    split         "random", or "stored": the publisher's, of which there is one; seeds are then the methods' alone
    val           the share of edges hidden for validation; the test's is the experiment's missing ratio
    own_val       whether a method is given the training graph alone and hides validation edges of its own
    n_hard        hard non-edges of each test edge; 0 where they are not asked for

    Methods are not told which share is missing, and the graph never holds validation edges at the test.
    """

    name: str
    split: str = RANDOM
    val: float = 0.0
    own_val: bool = False
    n_hard: int = 0

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise UnknownNameError(f"split of protocol {self.name}", self.split, SPLITS)
        if self.n_hard < 0 or self.n_hard % 2:
            raise ParameterError(
                f"n_hard of protocol {self.name} must be even, half for each end, got {self.n_hard}"
            )
        if self.own_val and self.val:
            raise ParameterError(
                f"protocol {self.name}: a method that hides its own validation edges is given none"
            )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
