"""Why a pair may be a link, for people: one sentence for each reason, the most telling first.

Of PULL+ the most telling is what adds most to the score: a fact counts what the signals about it add, and signals
without such a fact stand for themselves. Of other methods it is common neighbours, then paths, then attributes. Of
a directed graph the reverse link comes first, then ways of two steps; where nodes have types, similar nodes do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from pulink.explanation.facts import PairFacts
from pulink.explanation.node_names import looked_up, quoted, visible
from pulink.explanation.signal_words import phrase
from pulink.explanation.way_words import listed, way_text
from pulink.explanation.ways import LIKE_FIRST, LIKE_SECOND, WAYS, Way
from pulink.graph.graph import Graph
from pulink.methods.pull_plus import signals
from pulink.text import counted

COMMON_NEIGHBOURS, PATH, SHARED_ATTRIBUTES, SIGNAL, NONE, REVERSE_LINK = (
    "common_neighbours", "path", "shared_attributes", "signal", "none", "reverse_link",
)  # fmt: skip

# Signals without a fact that are named on either side, and what would be written as 0.0.
_MOST_SIGNALS, _LEAST_SIZE = 3, 0.05
_GAP = " is missing"
_SUBJECTS = {
    COMMON_NEIGHBOURS: signals.COMMON,
    PATH: signals.THREE_STEPS,
    SHARED_ATTRIBUTES: signals.OF_ENDS,
    REVERSE_LINK: signals.REVERSE,
    **{way: signals.EASED if way in (LIKE_FIRST, LIKE_SECOND) else signals.DIRECTED_STEPS for way in WAYS},
}


@dataclass(frozen=True)
class Reason:
    """One thing that speaks for a link, or against it.

    Attributes
    ----------
    kind : str
        "common_neighbours", "path", "shared_attributes", "signal" (of PULL+), or "none" where there is nothing.
        Of a directed graph also "reverse_link", "two_steps" (A -> u -> B), "both_link_to", "link_to_both" and
        "two_steps_back"; where nodes have types "similar_to_first" and "similar_to_second".
    text : str
        A plain sentence. A signed number at its end, such as (+3.1), is what it adds to the log-odds of a link by
        the trees of PULL+, compared with any unconnected pairs.
    nodes : tuple of str
        Names of the nodes that it mentions; as `type:name` where nodes of several types are called so.
    value : float
        The number behind it: neighbours or attributes that are shared, nodes in between, paths that are named, or
        what a signal adds to the log-odds.
    """

    kind: str
    text: str
    nodes: tuple[str, ...] = ()
    value: float = 0

    def to_dict(self) -> dict[str, Any]:
        """Give kind, text, nodes and value by name, as JSON holds them.

        Returns
        -------
        dict
        """
        return asdict(self) | {"nodes": list(self.nodes)}


def reasons_of(facts: PairFacts, graph: Graph, feature_names: tuple[str, ...] | None) -> list[Reason]:
    """The reasons of one pair, the main one first. Names are as they came, but for characters that nobody sees.

    feature_names  what the columns of the features are called; without, they are numbered
    """
    adds = dict(facts.signals)
    ways = [(way.adds, _way(way, facts, graph)) for way in facts.ways]
    others = [*_common(facts, graph), *_paths(facts, graph), *_shared(facts, feature_names)]
    told = [
        *((adds.get(signals.REVERSE, 0.0), reason) for reason in _reverse(facts, graph)),
        *ways,
        *((adds.get(_SUBJECTS[reason.kind], 0.0), reason) for reason in others),
    ]
    spoken = [*told, *_strongest(_untold(adds, told), facts, graph)]
    if not any(size > 0 for size, _ in spoken) and not told:
        only = "" if facts.signals else ": only the score of the method suggests it"
        spoken = [(0.0, Reason(NONE, f"no short path and no shared attribute{only}")), *spoken]
    # A stable sort: without signals all of them stay in their order.
    # A known reverse is what a reader wants to hear first, also where other signals carry what it says.
    ordered = sorted(spoken, key=lambda own: (own[1].kind != REVERSE_LINK or own[0] < 0, -own[0]))
    return [_with_size(reason, size) for size, reason in ordered]


def _untold(adds: dict[str, float], told: list[tuple[float, Reason]]) -> dict[str, float]:
    """What signals add by subject, but for what facts tell: all of a subject, or the part that is about a way."""
    left = dict(adds)
    for size, reason in told:
        subject = _SUBJECTS[reason.kind]
        if reason.kind in WAYS and subject in left:
            left[subject] -= size
        elif reason.kind not in WAYS:
            left.pop(subject, None)
    return left


def _strongest(alone: dict[str, float], facts: PairFacts, graph: Graph) -> Iterator[tuple[float, Reason]]:
    """Signals about which no fact is told: the largest on either side."""
    by_size = sorted(alone.items(), key=lambda own: -abs(own[1]))
    for is_for in (True, False):
        side = [own for own in by_size if (own[1] > 0) is is_for and abs(own[1]) >= _LEAST_SIZE]
        for subject, size in side[:_MOST_SIGNALS]:
            yield size, _signal(subject, size, facts, graph)


def _signal(subject: str, size: float, facts: PairFacts, graph: Graph) -> Reason:
    if subject == signals.DEGREES and graph.is_directed:
        return Reason(SIGNAL, _directed_degrees(facts, graph), _names(facts.pair, graph), size)
    if subject == signals.DEGREES:
        one, other = (int(graph.degrees[node]) for node in facts.pair)
        text = f"the two have {one:,} and {counted(other, 'link')}"
        return Reason(SIGNAL, text, _names(facts.pair, graph), size)
    if subject == signals.COMMON and facts.n_common:
        linked = counted(facts.n_common, "node is linked", "nodes are linked")
        return Reason(SIGNAL, f"{linked} with both, whichever way", _names(facts.common, graph), size)
    if subject == signals.COMMON:
        return Reason(
            SIGNAL, "no node is linked with both" if graph.is_directed else "no shared neighbour", (), size
        )
    if subject == signals.REVERSE:
        first, second = (quoted(graph, node) for node in facts.pair)
        return Reason(SIGNAL, f"{second} does not link to {first}", _names(facts.pair, graph), size)
    return Reason(SIGNAL, phrase(subject, size), (), size)


def _with_size(reason: Reason, size: float) -> Reason:
    if abs(size) < _LEAST_SIZE:
        return reason
    against = "against it: " if size < 0 else ""
    return replace(reason, text=f"{against}{reason.text} ({size:+.1f})")


def _names(nodes: Iterable[int], graph: Graph) -> tuple[str, ...]:
    return tuple(looked_up(graph, node) for node in nodes)


def _directed_degrees(facts: PairFacts, graph: Graph) -> str:
    source, target = facts.pair
    n_from, n_of_target = (
        int(graph.adjacency.indptr[node + 1] - graph.adjacency.indptr[node]) for node in facts.pair
    )
    n_to = int(graph.degrees[target]) - n_of_target
    return f"{counted(n_from, 'link')} from {quoted(graph, source)}, {n_to:,} to {quoted(graph, target)}"


def _reverse(facts: PairFacts, graph: Graph) -> Iterator[Reason]:
    if facts.reverse:
        first, second = (quoted(graph, node) for node in facts.pair)
        yield Reason(REVERSE_LINK, f"{second} already links to {first}", _names(facts.pair[::-1], graph), 1)


def _way(way: Way, facts: PairFacts, graph: Graph) -> Reason:
    return Reason(way.kind, way_text(way, facts, graph), _names(way.nodes, graph), way.n_nodes)


def _common(facts: PairFacts, graph: Graph) -> Iterator[Reason]:
    """Of a directed graph, ways of two steps say more."""
    named = [quoted(graph, node) for node in facts.common]
    if named and not graph.is_directed:
        count = counted(facts.n_common, "shared neighbour")
        text = count + listed(named, facts.n_common)
        yield Reason(COMMON_NEIGHBOURS, text, _names(facts.common, graph), facts.n_common)


def _paths(facts: PairFacts, graph: Graph) -> Iterator[Reason]:
    ways = [f"{quoted(graph, u)} and {quoted(graph, v)}" for u, v in facts.paths]
    if ways:
        nodes = dict.fromkeys(looked_up(graph, node) for path in facts.paths for node in path)
        short = "a short path" if len(ways) == 1 else "short paths"
        if graph.is_directed:
            short += " along the direction" if facts.along else ", not along the direction,"
        yield Reason(PATH, f"{short} through {', or '.join(ways)}", tuple(nodes), len(ways))


def _shared(facts: PairFacts, feature_names: tuple[str, ...] | None) -> Iterator[Reason]:
    named = [_attribute(column, feature_names) for column in facts.shared]
    # A gap that both have in a table is no attribute.
    attributes = [name for name in named if not name.endswith(_GAP)]
    count = facts.n_shared - (len(named) - len(attributes))
    if attributes:
        text = counted(count, "shared attribute") + listed(attributes, count)
        yield Reason(SHARED_ATTRIBUTES, text, (), count)


def _attribute(column: int, names: tuple[str, ...] | None) -> str:
    """As node tables call their columns: `column=category`, or `column: word` of a text."""
    if names is None or column >= len(names):
        return f"number {column}"
    name = visible(names[column])
    category, word = name.find("="), name.find(": ")
    if category > 0 and (word < 0 or category < word):
        return f"{name[:category]} = {name[category + 1 :]}"
    if word > 0:
        return f"word {name[word + 2 :]} in {name[:word]}"
    return name
