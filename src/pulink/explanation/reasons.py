"""Why a pair may be a link, for people: one sentence for each reason, the most telling first.

Of PULL+ the most telling is what adds most to the score: a fact counts what the signals about it add, and signals
without such a fact stand for themselves. Of other methods it is common neighbours, then paths, then attributes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from pulink.explanation.facts import PairFacts
from pulink.explanation.signal_words import phrase
from pulink.graph.graph import Graph
from pulink.methods.pull_plus import signals
from pulink.text import counted

COMMON_NEIGHBOURS, PATH, SHARED_ATTRIBUTES, SIGNAL, NONE = (
    "common_neighbours", "path", "shared_attributes", "signal", "none",
)  # fmt: skip

# Signals without a fact that are named on either side, and what would be written as 0.0.
_MOST_SIGNALS, _LEAST_SIZE = 3, 0.05
_GAP = " is missing"
# Controls, invisible marks, lone surrogates, and what breaks a line.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_SUBJECTS = {
    COMMON_NEIGHBOURS: signals.COMMON,
    PATH: signals.THREE_STEPS,
    SHARED_ATTRIBUTES: signals.OF_ENDS,
}


@dataclass(frozen=True)
class Reason:
    """One thing that speaks for a link, or against it.

    Attributes
    ----------
    kind : str
        "common_neighbours", "path", "shared_attributes", "signal" (of PULL+), or "none" where there is nothing.
    text : str
        A plain sentence. A signed number at its end, such as (+3.1), is what it adds to the log-odds of a link by
        the trees of PULL+, compared with any unconnected pairs.
    nodes : tuple of str
        Names of the nodes that it mentions.
    value : float
        The number behind it: neighbours or attributes that are shared, paths that are named, or what a signal adds
        to the log-odds.
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
    found = [*_common(facts, graph), *_paths(facts, graph), *_shared(facts, feature_names)]
    told = [(adds.get(_SUBJECTS[reason.kind], 0.0), reason) for reason in found]
    alone = {subject: size for subject, size in facts.signals if subject not in _subjects_of(found)}
    spoken = [*told, *_strongest(alone, facts, graph)]
    if not any(size > 0 for size, _ in spoken) and not found:
        only = "" if facts.signals else ": only the method's own score speaks for it"
        spoken = [(0.0, Reason(NONE, f"no short path and no shared attribute{only}")), *spoken]
    # A stable sort: without signals all of them stay in their order.
    return [_with_size(reason, size) for size, reason in sorted(spoken, key=lambda own: -own[0])]


def _subjects_of(found: list[Reason]) -> set[str]:
    return {_SUBJECTS[reason.kind] for reason in found}


def _strongest(alone: dict[str, float], facts: PairFacts, graph: Graph) -> Iterator[tuple[float, Reason]]:
    """Signals about which no fact is told: the largest on either side."""
    by_size = sorted(alone.items(), key=lambda own: -abs(own[1]))
    for is_for in (True, False):
        side = [own for own in by_size if (own[1] > 0) is is_for and abs(own[1]) >= _LEAST_SIZE]
        for subject, size in side[:_MOST_SIGNALS]:
            yield size, _signal(subject, size, facts, graph)


def _signal(subject: str, size: float, facts: PairFacts, graph: Graph) -> Reason:
    if subject == signals.DEGREES:
        one, other = (int(graph.degrees[node]) for node in facts.pair)
        text = f"the two have {one:,} and {counted(other, 'link')}"
        return Reason(SIGNAL, text, tuple(graph.names[node] for node in facts.pair), size)
    if subject == signals.COMMON:
        return Reason(SIGNAL, "no shared neighbour", (), size)
    return Reason(SIGNAL, phrase(subject, size), (), size)


def _with_size(reason: Reason, size: float) -> Reason:
    if abs(size) < _LEAST_SIZE:
        return reason
    against = "against it: " if size < 0 else ""
    return replace(reason, text=f"{against}{reason.text} ({size:+.1f})")


def _common(facts: PairFacts, graph: Graph) -> Iterator[Reason]:
    named = [_quoted(graph, node) for node in facts.common]
    if named:
        count = counted(facts.n_common, "shared neighbour")
        text = count + _listed(named, facts.n_common)
        yield Reason(COMMON_NEIGHBOURS, text, tuple(graph.names[node] for node in facts.common), facts.n_common)


def _paths(facts: PairFacts, graph: Graph) -> Iterator[Reason]:
    ways = [f"{_quoted(graph, u)} and {_quoted(graph, v)}" for u, v in facts.paths]
    if ways:
        nodes = dict.fromkeys(graph.names[node] for path in facts.paths for node in path)
        short = "a short path" if len(ways) == 1 else "short paths"
        yield Reason(PATH, f"{short} through {', or '.join(ways)}", tuple(nodes), len(ways))


def _shared(facts: PairFacts, feature_names: tuple[str, ...] | None) -> Iterator[Reason]:
    named = [_attribute(column, feature_names) for column in facts.shared]
    # A gap that both have in a table is no attribute.
    attributes = [name for name in named if not name.endswith(_GAP)]
    count = facts.n_shared - (len(named) - len(attributes))
    if attributes:
        text = counted(count, "shared attribute") + _listed(attributes, count)
        yield Reason(SHARED_ATTRIBUTES, text, (), count)


def _listed(named: list[str], count: int) -> str:
    return (", among them " if count > len(named) else ": ") + ", ".join(named)


def _attribute(column: int, names: tuple[str, ...] | None) -> str:
    """As node tables call their columns: `column=category`, or `column: word` of a text."""
    if names is None or column >= len(names):
        return f"number {column}"
    name = _visible(names[column])
    category, word = name.find("="), name.find(": ")
    if category > 0 and (word < 0 or category < word):
        return f"{name[:category]} = {name[category + 1 :]}"
    if word > 0:
        return f"word {name[word + 2 :]} in {name[:word]}"
    return name


def _quoted(graph: Graph, node: int) -> str:
    return f'"{_visible(graph.names[node])}"'


def _visible(text: str) -> str:
    """Names come from other people's files: what cannot be seen is written as `\\x1b`."""
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in _HIDDEN else c for c in text)
