"""What the signals of PULL+ are about, in words for people who never heard of eigenvectors.

Of degrees, of common neighbours and of the reverse link the facts themselves are told. Every other subject has two
phrases. The first is said where a signal speaks for the link: compared with any unconnected pairs, it is as links
have it. The second is said where it speaks against it, and claims nothing.
"""

from __future__ import annotations

from pulink.methods.pull_plus import signals
from pulink.methods.pull_plus.learned.encoders import ENCODERS

PHRASES: dict[str, tuple[str, str]] = {
    signals.THREE_STEPS: ("many paths of three steps between them", "how many paths of three steps join them"),
    signals.PAGERANK: (
        "random walks from one often reach the other", "how often random walks from one reach the other",
    ),
    signals.EIGENVECTORS: (
        "many short paths between their surroundings", "how many short paths join their surroundings",
    ),
    **{
        encoder.upper(): (
            f"a neural network ({encoder.upper()}) finds their places in the graph alike",
            f"how alike a neural network ({encoder.upper()}) finds their places in the graph",
        )
        for encoder in ENCODERS
    },
    signals.OF_ENDS: ("their attributes are alike", "how alike their attributes are"),
    signals.AROUND: (
        "the attributes of one are like those around the other",
        "how alike the attributes of one and those around the other are",
    ),
    signals.BY_NETWORK: (
        "a neural network finds the attributes of both and around them as those of linked nodes are",
        "what a neural network makes of the attributes of both and around them",
    ),
    signals.DIRECTED_STEPS: (
        "many short ways along the links lead from one to the other",
        "how many short ways along the links lead from one to the other",
    ),
    signals.ALONG: (
        "random walks along the links from the first often reach the second",
        "how often random walks along the links from the first reach the second",
    ),
    signals.EASED: (
        "nodes like the one often link to nodes like the other",
        "how often nodes like the one link to nodes like the other",
    ),
    signals.LINEAR: (
        "nodes with neighbours like the one's link to nodes with neighbours like the other's",
        "how often nodes with neighbours like the one's link to nodes with neighbours like the other's",
    ),
    signals.LONG_WALKS: (
        "many paths of up to seven steps between them", "how many paths of up to seven steps join them",
    ),
    signals.LATELY: ("when the two were last active", "when the two were last active"),
    signals.TYPES: ("links between these types of nodes are frequent", "how frequent links of these types are"),
    signals.NAMED_BY: ("several kinds of search found this pair", "how many kinds of search found this pair"),
}  # fmt: skip


def phrase(subject: str, log_odds: float) -> str:
    """What a signal says that adds so much."""
    return PHRASES[subject][0 if log_odds > 0 else 1]
