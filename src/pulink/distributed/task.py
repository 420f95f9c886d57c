"""Work that may be done in another process: a function of this package, called by its name.

What goes there and what comes back are plain values and arrays (`Checkpoint`), as bytes of our own formats. No
object ever travels, and only what `HOMES` lists can be asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from pulink.errors import ParameterError
from pulink.persistence.checkpoints import Checkpoint

# Modules with tasks.
HOMES = [
    *(f"pulink.methods.pull_plus.{module}" for module in ("training_set", "candidates", "scoring.scored_graph")),
    *(f"pulink.workflows.sharded.{module}" for module in ("blocks", "ranges", "node_columns")),
    "pulink.experiments.cluster_run",
    "pulink.distributed.group.rank",
    "pulink.methods.pull.sharded.training",
    "pulink.methods.baselines.gnn.sharded_epochs",
]
# Shared values that a worker keeps: those in use, and those before them.
_KEPT = 3


class Shared(Protocol):
    """What many pieces of work have in common, such as a graph: it is sent to every worker once."""

    def packed(self) -> Checkpoint:
        """As plain values and arrays."""


S = TypeVar("S", bound=Shared)
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Task(Generic[S]):
    """A function of shared values and of one piece's own.

    home, name  module and name of this very object, by which another process finds it
    function    makes a piece
    unpack      what `packed` gave -> shared values
    """

    home: str
    name: str
    function: Callable[[S, Checkpoint], Checkpoint]
    unpack: Callable[[Checkpoint], S]

    @property
    def address(self) -> str:
        """What `task_at` takes."""
        return f"{self.home}:{self.name}"


def task_at(address: str) -> Task[Any]:
    """The task of this address."""
    return named_object(address, Task)


def named_object(address: str, kind: type[Kind]) -> Kind:
    """The object of this address; ParameterError for other kinds, and outside of the modules that hold tasks."""
    home, _, name = address.partition(":")
    if home in HOMES:
        found = vars(import_module(home)).get(name)
        if isinstance(found, kind):
            return found
    raise ParameterError(f"there is no task {address!r}")


class Bench:
    """Where one process does pieces for another: shared values stay unpacked from piece to piece."""

    def __init__(self) -> None:
        self._unpacked: dict[tuple[str, object], Any] = {}

    def make(self, address: str, key: str, packed: Callable[[], Checkpoint], piece: Checkpoint) -> Checkpoint:
        """Make a piece.

        key     of the shared values: `packed` is asked for them when they are needed for the first time
        """
        task = task_at(address)
        place = key, task.unpack
        shared = self._unpacked.pop(place, None)
        if shared is None:
            shared = task.unpack(packed())
        self._unpacked[place] = shared
        while len(self._unpacked) > _KEPT:
            del self._unpacked[next(iter(self._unpacked))]
        return task.function(shared, piece)
