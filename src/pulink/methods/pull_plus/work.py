"""A training graph with all that its pieces of work share: those that train, and those that look at it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.distributed.packed_graph import packed_graph, unpacked_graph
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.effort import FitSettings
from pulink.methods.pull_plus.learned.pair_net import PairNetConfig
from pulink.methods.pull_plus.learned.parts import LearnedParts
from pulink.methods.pull_plus.pair_signals import SignalConfig
from pulink.persistence.checkpoints import Arrays, Checkpoint

_FEATURES, _LEARNED = "features.", "learned."


@dataclass(frozen=True, eq=False)
class Work:
    """What `training_set.gather` is given.

    settings  of folds; None where a whole graph is looked at
    """

    train: Graph
    features: Attributes | None
    config: SignalConfig
    settings: Any = None
    future: bool = False

    def packed(self) -> Checkpoint:
        graph, arrays = packed_graph(self.train)
        settings = None
        if self.settings is not None:
            settings = {part.name: getattr(self.settings, part.name) for part in fields(FitSettings)}
        plain = {"graph": graph, "config": asdict(self.config), "settings": settings, "future": self.future}
        if self.features is not None:
            arrays |= {f"{_FEATURES}{name}": array for name, array in self.features.state().items()}
        return Checkpoint(plain, arrays)

    @classmethod
    def unpacked(cls, packed: Checkpoint) -> Work:
        """What `packed` gave."""
        plain = packed.plain
        graph, features = unpacked_graph(plain["graph"], packed), own_arrays(packed.under(_FEATURES))
        return cls(
            graph,
            Attributes.from_state(features, graph.n_nodes) if features else None,
            _config(plain["config"]),
            None if plain["settings"] is None else FitSettings(**plain["settings"]),
            plain["future"],
        )


def own_arrays(arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Copies, which may be written into as those that were packed."""
    return {name: np.array(array) for name, array in arrays.items()}


def _config(plain: dict[str, Any]) -> SignalConfig:
    net = None if plain["net"] is None else PairNetConfig(**plain["net"])
    return SignalConfig(**(plain | {"families": tuple(plain["families"]), "net": net}))


def packed_parts(learned: LearnedParts | None) -> Arrays:
    """What was trained, among the arrays of a piece."""
    return {} if learned is None else {f"{_LEARNED}{name}": array for name, array in learned.state().items()}


def unpacked_parts(piece: Checkpoint) -> LearnedParts | None:
    """None if it holds none: they are trained on the piece's own graph."""
    return LearnedParts.from_state(piece.under(_LEARNED)) if piece.plain["is_trained"] else None
