"""Who follows a workflow while it runs: a terminal, a notebook, a server; and always Python's `logging`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol

from pulink.system.log import LOG

if TYPE_CHECKING:
    from pulink.graph.graph import Graph
    from pulink.predictor.fitting.progress_bar import ProgressLine

logger = LOG.getChild("workflows")


class Listener(Protocol):
    """What a workflow calls while it runs."""

    def note(self, text: str) -> None:
        """One line about what was read, chosen or found."""

    def warn(self, text: str) -> None:
        """One line about what should keep a reader from trusting the result."""

    def bar(self) -> AbstractContextManager[ProgressLine]:
        """Entered while something is trained; what it gives is told how far that is."""


class Reporter:
    """Speaks through logging, and to a listener if there is one."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        # A terminal that shows the log need not show a line twice.
        self._told = {"told": listener is not None}
        # A terminal has options, Python has keywords.
        self._kind_option: str = getattr(listener, "kind_option", 'kind="{}"')

    def note(self, text: str) -> None:
        logger.info("%s", text, extra=self._told)
        if self._listener is not None:
            self._listener.note(text)

    def was_read(self, label: str, graph: Graph) -> None:
        """What was read, and as what kind of graph."""
        from pulink.workflows.words import messages

        self.note(messages.was_read(label, graph))
        if (seen := messages.kind_seen(graph, self._kind_option)) is not None:
            self.note(seen)

    def warn(self, texts: Iterable[str]) -> None:
        for text in texts:
            logger.warning("%s", text, extra=self._told)
            if self._listener is not None:
                self._listener.warn(text)

    @contextmanager
    def helped(self, cluster: str | None, methods: Sequence[str]) -> Iterator[None]:
        """Within the block, a cluster makes pieces of these methods' work, if they have any; None: nobody does."""
        from pulink.distributed.cluster import working_on
        from pulink.methods.registry import method
        from pulink.workflows.words import messages

        is_idle = not any(method(name).predictor.divides_work for name in methods)
        with working_on(cluster, idle=is_idle, note=self.note):
            if cluster is not None and is_idle:
                self.note(messages.idle_cluster(", ".join(methods)))
            yield

    def bar(self) -> AbstractContextManager[ProgressLine | None]:
        """None where nobody is told how far a training is."""
        return nullcontext() if self._listener is None else self._listener.bar()
