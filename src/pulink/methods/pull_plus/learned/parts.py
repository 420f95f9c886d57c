"""What is trained for the signals of pairs: encoders, and a network of pairs where nodes have attributes.

Training costs most of the time, and what it gives belongs to no fold: weights that were trained without the edges
of several folds serve all of these, each on the graph without its own edges alone. They serve the whole graph as
well, of which no unconnected pair was learned as an edge either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pulink.engine.pace import paced, portion
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.methods.pull_plus.learned.pair_net import F32, PairNet, State

if TYPE_CHECKING:
    from pulink.methods.pull_plus.attribute_signals import Attributes
    from pulink.methods.pull_plus.pair_signals import SignalConfig

_ENCODERS, _PAIR_NET = "encoders.", "pair_net."
# The network of pairs among the parts.
NETWORK = "pair-net"
# About which share of the time goes into encoders.
_ENCODED = 0.5


@dataclass(frozen=True)
class LearnedParts:
    """Parameters of each encoder by name, and the network of pairs; either may be left out."""

    encoders: dict[str, State]
    pair_net: PairNet | None = None

    @classmethod
    def train(cls, graph: Graph, features: Attributes | None, config: SignalConfig) -> LearnedParts:
        """On all edges of a graph."""
        encoders: dict[str, State] = {}
        pair_net = None
        with portion(0.0, _ENCODED if config.pair_net else 1.0):
            for name in paced([*config.encoders]):
                encoders |= cls.train_part(name, graph, features, config).encoders
        if NETWORK in part_names(features, config):
            with portion(_ENCODED, 1.0):
                pair_net = cls.train_part(NETWORK, graph, features, config).pair_net
        return cls(encoders, pair_net)

    @classmethod
    def train_part(
        cls, name: str, graph: Graph, features: Attributes | None, config: SignalConfig
    ) -> LearnedParts:
        """One of `part_names` alone: no part needs another."""
        plain = graph.without_direction
        if name != NETWORK:
            encoder = config.encoders[name](
                n_units=config.n_units, learning_rate=config.learning_rate, seed=config.seed
            )
            return cls({name: encoder.train_encoder(plain, config.n_epochs)[1]})
        assert config.pair_net is not None
        assert features is not None
        assert features.leading is not None
        return cls({}, PairNet.trained_on(plain, features.leading, config.pair_net, config.seed))

    def embeddings(self, graph: Graph, n_units: int) -> dict[str, F32]:
        """Of all nodes on a graph, by encoder (n x units)."""
        plain = graph.without_direction
        return {
            name: ENCODERS[name](n_units=n_units).encode(parameters, plain)
            for name, parameters in self.encoders.items()
        }

    def state(self) -> State:
        """All arrays by name."""
        found: State = {}
        for name, parameters in self.encoders.items():
            found |= {f"{_ENCODERS}{name}.{part}": array for part, array in parameters.items()}
        if self.pair_net is not None:
            found |= {f"{_PAIR_NET}{part}": array for part, array in self.pair_net.state().items()}
        return found

    @classmethod
    def from_state(cls, state: State) -> LearnedParts:
        """What `state` gave, among other arrays; ValueError if it cannot be."""
        encoders = {name: under(state, f"{_ENCODERS}{name}.") for name in ENCODERS}
        kept = under(state, _PAIR_NET)
        pair_net = PairNet.from_state(kept) if kept else None
        return cls({name: parameters for name, parameters in encoders.items() if parameters}, pair_net)


def part_names(features: Attributes | None, config: SignalConfig) -> list[str]:
    """What is trained, the longest first."""
    has_network = config.pair_net is not None and features is not None and features.feeds_network
    return [NETWORK] * has_network + [*config.encoders]


NOTHING_LEARNED = LearnedParts({})


def under(state: State, prefix: str) -> State:
    """The arrays whose names begin so, without it."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
