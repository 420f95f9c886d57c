"""How long a cluster that cannot do the work at the moment is waited for, and what is said meanwhile."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pulink.errors import ParameterError
from pulink.text import counted, shown

# Seconds; of the environment.
VARIABLE, _USUAL = "PULINK_CLUSTER_WAIT", 600.0
# Seconds before the first word and the second; each next one takes twice as long.
_FIRST, _SECOND = 2.0, 60.0


@dataclass(frozen=True)
class Node:
    """What is there of a node."""

    address: str
    n_processors: float
    n_bytes: float


@dataclass
class Patience:
    """Looks at the nodes that are there, and at what the work needs.

    clock  seconds
    """

    cluster: str
    clock: Callable[[], float] = time.monotonic
    _threads: int = 1
    _room: int = 0
    _since: float | None = None
    _next: float = 0.0
    _known: frozenset[str] | None = None
    _limit: float = field(default_factory=lambda: seconds_to_wait())

    def needs(self, threads: int, n_bytes: int) -> None:
        """What the next pieces take: threads and memory."""
        self._threads, self._room = threads, n_bytes

    def look(self, nodes: list[Node]) -> tuple[list[str], bool]:
        """Lines that should be said, and whether this was waited for long enough."""
        words = self._changes(nodes)
        if any(self._serves(node) for node in nodes):
            if self._since is not None and self._next > self._since + _FIRST:
                words.append(f"the cluster {self.cluster} has what was waited for: going on")
            self._since = None
            return words, False
        now = self.clock()
        if self._since is None:
            self._since, self._next = now, now + _FIRST
        if now >= self._next:
            self._next = now + max(_SECOND, now - self._since)
            words.append(f"waiting for a {self._wanted()}: {_present(nodes)}; {self._left(now)} (Ctrl-C stops)")
        return words, now - self._since >= self._limit

    def last_words(self) -> str:
        """Why nothing is waited for any more."""
        return f"no {self._wanted()} in {_duration(self._limit)} ({VARIABLE} sets how many seconds are waited)"

    def _serves(self, node: Node) -> bool:
        return node.n_processors >= self._threads and node.n_bytes >= self._room

    def _wanted(self) -> str:
        room = f" and {self._room / 1e9:.1f} GB of memory" if self._room else ""
        return f"node of the cluster {self.cluster} with {counted(self._threads, 'processor')}{room}"

    def _left(self, now: float) -> str:
        return f"giving up after {_duration(self._limit - (now - (self._since or now)))} more"

    def _changes(self, nodes: list[Node]) -> list[str]:
        """Nodes that came and went since the last look; those without processors make no pieces."""
        there = frozenset(node.address for node in nodes if node.n_processors)
        before, self._known = self._known, there
        if before is None:
            return []
        words = [f"the cluster {self.cluster} has a node more, {address}" for address in sorted(there - before)]
        gone = sorted(before - there)
        if gone and there:
            left = counted(len(there), "node")
            words += [f"node {address} is lost: its pieces are made again by {left}" for address in gone]
        elif gone:
            words += [f"node {address} is lost" for address in gone]
        return words


def seconds_to_wait() -> float:
    """From the environment; ParameterError if it is no number of seconds."""
    text = os.environ.get(VARIABLE, "").strip()
    try:
        seconds = float(text) if text else _USUAL
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ParameterError(f"{VARIABLE} must be a number of seconds, got {shown(text)}")
    return seconds


def _present(nodes: list[Node]) -> str:
    if not nodes:
        return "it has no node"
    most = max(nodes, key=lambda node: node.n_processors)
    processors = f"{most.n_processors:g} processor{'' if most.n_processors == 1 else 's'}"
    gigabytes = f"{max(node.n_bytes for node in nodes) / 1e9:.1f} GB"
    return f"it has {counted(len(nodes), 'node')}, with up to {processors} and {gigabytes}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0.0):.0f} s"
