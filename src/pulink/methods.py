"""Every method by its name: what it is, where it comes from, how it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pulink.baselines.gcn_ce import GCNCE
from pulink.errors import UnknownNameError
from pulink.models.predictor import LinkPredictor
from pulink.pull.estimator import PULL

_PULL = "Kim et al., AAAI 2025"


@dataclass(frozen=True)
class Method:
    """A predictor with the settings that make it a published method."""

    name: str
    family: str
    summary: str
    citation: str
    build: Callable[..., LinkPredictor]
    settings: dict[str, Any] = field(default_factory=dict)

    def make(self, **settings: Any) -> LinkPredictor:
        """A new predictor; settings given here win."""
        return self.build(**(self.settings | settings))

    @property
    def has_control(self) -> bool:
        """Whether comparisons carry GCN+CE with as many gradient steps beside it."""
        return self.build is PULL


_ALL = (
    Method("pull", "pull", "PULL as in the paper", _PULL, PULL),
    Method("pull-ws", "pull", "PULL that samples the expected graph, without L_C", _PULL, PULL,
           {"selection": "sample", "correction": False}),
    Method("pull-no-lc", "pull", "PULL without the correction loss L_C", _PULL, PULL, {"correction": False}),
    Method("gae+pull", "pull", "PULL with GAE's loss", _PULL, PULL, {"encoder": "gae"}),
    Method("vgae+pull", "pull", "PULL with a variational autoencoder", _PULL, PULL, {"encoder": "vgae"}),
    Method("vgnae+pull", "pull", "PULL with a normalised variational autoencoder", _PULL, PULL,
           {"encoder": "vgnae"}),
    Method("gcn-ce", "gnn", "GCN with cross-entropy", "Kipf and Welling, ICLR 2017", GCNCE),
)  # fmt: skip

METHODS: dict[str, Method] = {method.name: method for method in _ALL}


def method(name: str) -> Method:
    """A method by its name; an unknown one lists them all."""
    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    return METHODS[name]
