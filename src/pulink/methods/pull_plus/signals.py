"""Every signal of a pair, declared once: a column of what the trees learn from.

To add a signal, add it to `SIGNALS` and write about it in docs/pull-plus.md. Its function gets the pairs of a
batch as `PairQuantities`: what several signals read is computed there, once for a batch and when it is first asked
for, from `GraphQuantities`, which are computed once for a graph.

Edges may have weights, which PageRank and the encoders do not know. A pair that is itself an edge does not see it
in its degrees and short walks, but does in all other signals.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pulink.errors import UnknownNameError
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, KINDS, TYPED, UNDIRECTED
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.methods.pull_plus.quantities.dense_walks import STEPS
from pulink.methods.pull_plus.quantities.pairs import (
    MATRICES,
    RANKS,
    SINGULAR,
    TINY,
    TWO_STEPS,
    PairQuantities,
)
from pulink.methods.pull_plus.quantities.two_sided import PENALTIES

Column: TypeAlias = npt.NDArray[np.floating[Any]]

STRUCTURE, SPECTRUM, ENCODED, ATTRIBUTES = "structure", "spectrum", "encoders", "attributes"
PAIR_NET = "pair-net"
# Families that may be left out; structure is always there.
FAMILIES = (SPECTRUM, ENCODED, ATTRIBUTES, PAIR_NET)

# The last column of a model's rows, which candidates add to the signals, and what it is about.
SOURCE_COUNT, NAMED_BY = "sources", "sources that name it"

# What signals are about; those of one subject are told together.
DEGREES, COMMON, THREE_STEPS, PAGERANK = "degrees", "common neighbours", "walks of three steps", "PageRank"
EIGENVECTORS, OF_ENDS, AROUND = "eigenvectors", "attributes", "attributes of the neighbours"
REVERSE, DIRECTED_STEPS, ALONG = "the reverse link", "directed walks", "PageRank along the direction"
BY_NETWORK = "attributes, by a network"
EASED, LATELY, TYPES = "links of similar nodes", "recent activity", "types of the ends"
LINEAR, LONG_WALKS = "links of similar neighbours", "walks of up to seven steps"

# Matrices of all pairs are held, and solved: beyond so many nodes linear optimisation and long walks are left out.
MOST_SOLVED, MOST_WALKED = 5_000, 2_000


@dataclass(frozen=True)
class Signal:
    """One column.

    name      what models are stored with: never change it, and never give another signal a name that was used
    family    structure, or what `leave_out` may name: spectrum, encoders, attributes, pair-net
    subject   what it is about, by which signals are told together; `explanation/signal_words.py` has its words
    of_pairs  its value for each pair of a batch (k)
    kinds     of graphs that have it
    timed     whether only graphs with times have it
    most_nodes  of graphs that have it; None: any
    """

    name: str
    family: str
    subject: str
    of_pairs: Callable[[PairQuantities], Column]
    kinds: tuple[str, ...] = KINDS
    timed: bool = False
    most_nodes: int | None = None


def _spectral(pairs: PairQuantities, matrix: str, place: int) -> Column:
    return pairs.spectrum(matrix)[:, place]


def _norm_low(pairs: PairQuantities, encoder: str) -> Column:
    return np.asarray(np.minimum(*pairs.embedding_norms(encoder).T))


def _norm_high(pairs: PairQuantities, encoder: str) -> Column:
    return np.asarray(np.maximum(*pairs.embedding_norms(encoder).T))


def _role_degree(pairs: PairQuantities, number: int) -> Column:
    return pairs.role_degrees[number]


def _two_steps(pairs: PairQuantities, way: str, number: int) -> Column:
    return pairs.two_steps[way][number]


def _over_roles(pairs: PairQuantities, walks: Column) -> Column:
    """Over the root of the links from the source and to the target."""
    return np.asarray(walks / np.sqrt(np.maximum(pairs.role_degrees[0] * pairs.role_degrees[3], 1.0)))


def _long_walks(pairs: PairQuantities, number: int) -> Column:
    return pairs.of_graph.dense_walks.between(pairs.pairs, number)


def _returns(pairs: PairQuantities, number: int, end: int) -> Column:
    return pairs.of_graph.dense_walks.returns(pairs.pairs, number)[:, end]


def _ease(pairs: PairQuantities, number: int) -> Column:
    return pairs.sides.ease(pairs.pairs, number)


def _last_seen(pairs: PairQuantities, end: int, role: int) -> Column:
    return pairs.times.last(pairs.pairs, end, role)


def _recent(pairs: PairQuantities, end: int, role: int, number: int) -> Column:
    return pairs.times.recent(pairs.pairs, end, role, number)


_TIMED: dict[str, Callable[..., Column]] = {
    "last_seen": _last_seen,
    "lately": partial(_recent, number=0),
    "not_long_ago": partial(_recent, number=1),
}
_ENTRIES = [f"{what}_{rank}" for rank in RANKS for what in ("entry", "cosine")]
_EMBEDDED = {
    "dot": PairQuantities.embedding_dots,
    "cosine": PairQuantities.embedding_cosines,
    "norm_low": _norm_low,
    "norm_high": _norm_high,
}

# Two ends of a two-sided graph have no neighbour in common.
_ONE_SIDED = (UNDIRECTED, DIRECTED, TYPED)
# The two ends of these are not alike.
_TWO_ENDED = (DIRECTED, BIPARTITE, TYPED)

# In the order of the columns.
SIGNALS: tuple[Signal, ...] = (
    Signal("degree_low", STRUCTURE, DEGREES, lambda p: p.degree_low),
    Signal("degree_high", STRUCTURE, DEGREES, lambda p: p.degree_high),
    Signal("common", STRUCTURE, COMMON, lambda p: p.walks.common, _ONE_SIDED),
    Signal("adamic_adar", STRUCTURE, COMMON, lambda p: p.walks.adamic_adar, _ONE_SIDED),
    Signal("resource_allocation", STRUCTURE, COMMON, lambda p: p.walks.resource_allocation, _ONE_SIDED),
    Signal(
        "jaccard",
        STRUCTURE,
        COMMON,
        lambda p: p.walks.common / np.maximum(np.add(*p.squared_lengths.T) - p.walks.common, TINY),
        _ONE_SIDED,
    ),
    Signal("salton", STRUCTURE, COMMON, lambda p: p.walks.common / p.length_root, _ONE_SIDED),
    Signal(
        "hub_promoted",
        STRUCTURE,
        COMMON,
        lambda p: p.walks.common / np.maximum(np.minimum(*p.squared_lengths.T), TINY),
        _ONE_SIDED,
    ),
    Signal("l3", STRUCTURE, THREE_STEPS, lambda p: p.walks.l3),
    Signal("l3_resource", STRUCTURE, THREE_STEPS, lambda p: p.walks.l3_resource),
    Signal("l3n", STRUCTURE, THREE_STEPS, lambda p: p.walks.l3_resource / p.degree_root),
    Signal("pagerank", STRUCTURE, PAGERANK, lambda p: p.pagerank),
    *(
        Signal(f"{matrix}_{entry}", SPECTRUM, EIGENVECTORS, partial(_spectral, matrix=matrix, place=place))
        for matrix in MATRICES
        for place, entry in enumerate(_ENTRIES)
    ),
    *(
        Signal(f"{encoder}_{what}", ENCODED, encoder.upper(), partial(take, encoder=encoder))
        for encoder in ENCODERS
        for what, take in _EMBEDDED.items()
    ),
    Signal("features", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.features(p.pairs)),
    Signal("features_plain", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.features_plain(p.pairs)),
    Signal("features_shared", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.words_shared(p.pairs)),
    Signal("features_around_low", ATTRIBUTES, AROUND, lambda p: np.minimum(*p.features_across)),
    Signal("features_around_high", ATTRIBUTES, AROUND, lambda p: np.maximum(*p.features_across)),
    Signal("components", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.components(p.pairs)),
    Signal("components_around", ATTRIBUTES, AROUND, lambda p: p.attributes.components_around(p.pairs)),
    Signal("components_across_low", ATTRIBUTES, AROUND, lambda p: np.minimum(*p.components_across)),
    Signal("components_across_high", ATTRIBUTES, AROUND, lambda p: np.maximum(*p.components_across)),
    Signal("pair_net", PAIR_NET, BY_NETWORK, lambda p: p.pair_net),
    Signal(
        "linear_optimisation",
        STRUCTURE,
        LINEAR,
        lambda p: p.linear_optimisation,
        (UNDIRECTED,),
        most_nodes=MOST_SOLVED,
    ),
    *(
        Signal(
            f"walks_{steps}",
            STRUCTURE,
            LONG_WALKS,
            partial(_long_walks, number=number),
            (UNDIRECTED,),
            most_nodes=MOST_WALKED,
        )
        for number, steps in enumerate(STEPS)
    ),
    *(
        Signal(
            f"return_{steps}_{place}",
            STRUCTURE,
            LONG_WALKS,
            partial(_returns, number=number, end=end),
            (UNDIRECTED,),
            most_nodes=MOST_WALKED,
        )
        for number, steps in enumerate(STEPS)
        for end, place in enumerate(("low", "high"))
    ),
    *(
        Signal(f"{role}_{end}", STRUCTURE, DEGREES, partial(_role_degree, number=number), (DIRECTED,))
        for number, (role, end) in enumerate((role, end) for end in ("source", "target") for role in ("out", "in"))
    ),
    Signal("orientation", STRUCTURE, DEGREES, lambda p: p.directed.orientation(p.pairs), (DIRECTED,)),
    Signal("reverse", STRUCTURE, REVERSE, lambda p: p.directed.reverse(p.pairs), (DIRECTED,)),
    *(
        Signal(
            f"{way}{suffix}", STRUCTURE, DIRECTED_STEPS, partial(_two_steps, way=way, number=number), (DIRECTED,)
        )
        for way in TWO_STEPS
        for number, suffix in enumerate(("", "_resource"))
    ),
    Signal("l3_roles", STRUCTURE, DIRECTED_STEPS, lambda p: p.three_steps[0], (DIRECTED,)),
    Signal("l3_roles_resource", STRUCTURE, DIRECTED_STEPS, lambda p: p.three_steps[1], (DIRECTED,)),
    Signal("l3n_roles", STRUCTURE, DIRECTED_STEPS, lambda p: _over_roles(p, p.three_steps[1]), (DIRECTED,)),
    Signal("pagerank_along", STRUCTURE, ALONG, lambda p: p.directed.pagerank(p.pairs), (DIRECTED,)),
    *(
        Signal(
            f"{SINGULAR}_{entry}",
            SPECTRUM,
            EIGENVECTORS,
            partial(_spectral, matrix=SINGULAR, place=place),
            (DIRECTED,),
        )
        for place, entry in enumerate(_ENTRIES)
    ),
    Signal("features_around_first", ATTRIBUTES, AROUND, lambda p: p.features_across[0], _TWO_ENDED),
    Signal("features_around_second", ATTRIBUTES, AROUND, lambda p: p.features_across[1], _TWO_ENDED),
    Signal("components_across_first", ATTRIBUTES, AROUND, lambda p: p.components_across[0], _TWO_ENDED),
    Signal("components_across_second", ATTRIBUTES, AROUND, lambda p: p.components_across[1], _TWO_ENDED),
    Signal("components_targets", ATTRIBUTES, AROUND, lambda p: p.role_components[0], (DIRECTED,)),
    Signal("components_sources", ATTRIBUTES, AROUND, lambda p: p.role_components[1], (DIRECTED,)),
    Signal("degree_first", STRUCTURE, DEGREES, lambda p: p.degrees[:, 0], (BIPARTITE, TYPED)),
    Signal("degree_second", STRUCTURE, DEGREES, lambda p: p.degrees[:, 1], (BIPARTITE, TYPED)),
    Signal("l3_by_first", STRUCTURE, THREE_STEPS, lambda p: p.sides.walks(p.pairs, True), (BIPARTITE,)),
    Signal("l3_by_second", STRUCTURE, THREE_STEPS, lambda p: p.sides.walks(p.pairs, False), (BIPARTITE,)),
    *(
        Signal(
            f"ease_{side}_{penalty:g}",
            STRUCTURE,
            EASED,
            partial(_ease, number=2 * place + number),
            (DIRECTED, BIPARTITE),
        )
        for place, penalty in enumerate(PENALTIES)
        for number, side in enumerate(("by_second", "by_first"))
    ),
    Signal("l3_turn", STRUCTURE, DIRECTED_STEPS, lambda p: p.turned["l3"], (DIRECTED,)),
    Signal("ease_turn", STRUCTURE, EASED, lambda p: p.turned["ease"], (DIRECTED,)),
    Signal("singular_turn", SPECTRUM, EIGENVECTORS, lambda p: p.turned_singular, (DIRECTED,)),
    Signal("type_first", STRUCTURE, TYPES, lambda p: p.types[:, 0], (TYPED,)),
    Signal("type_second", STRUCTURE, TYPES, lambda p: p.types[:, 1], (TYPED,)),
    *(
        Signal(f"{name}_{role}_{place}", STRUCTURE, LATELY, partial(take, end=end, role=number), timed=True)
        for name, take in _TIMED.items()
        for end, place in enumerate(("first", "second"))
        for number, role in enumerate(("from", "to"))
    ),
    Signal("first_seen_first", STRUCTURE, LATELY, lambda p: p.times.first(p.pairs, 0), timed=True),
    Signal("first_seen_second", STRUCTURE, LATELY, lambda p: p.times.first(p.pairs, 1), timed=True),
)


def signal_names(
    families: Container[str] = FAMILIES, kind: str = UNDIRECTED, *, timed: bool = False, n_nodes: int = 0
) -> tuple[str, ...]:
    """All signals of the structure and of these families that a kind of graph has, in the order of the columns.

    n_nodes  of the graph; 0: those of small graphs are there
    """
    return tuple(
        signal.name
        for signal in SIGNALS
        if (signal.family == STRUCTURE or signal.family in families)
        and kind in signal.kinds
        and (timed or not signal.timed)
        and (signal.most_nodes is None or n_nodes <= signal.most_nodes)
    )


def every_signal() -> tuple[str, ...]:
    """The names of all signals, of whichever kind of graph."""
    return tuple(signal.name for signal in SIGNALS)


def signals_called(names: Sequence[str]) -> list[Signal]:
    """The signals of these names, in this order; ValueError for a name that no signal has."""
    known = {signal.name: signal for signal in SIGNALS}
    if (strange := next((name for name in names if name not in known), None)) is not None:
        raise ValueError(f"this pulink does not know the signal {strange!r}")
    return [known[name] for name in names]


def subject_of(column: str) -> str:
    """In plain words, what a column of a model's rows is about."""
    subjects = {signal.name: signal.subject for signal in SIGNALS} | {SOURCE_COUNT: NAMED_BY}
    if column not in subjects:
        raise UnknownNameError("signal", column, subjects)
    return subjects[column]
