"""The fit of the file that was named on the command line, and how far it is."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio

from pulink.errors import PulinkError
from pulink.serve.settings import RunSource
from pulink.system.folder_lock import held
from pulink.system.log import LOG
from pulink.workflows.find import answer
from pulink.workflows.finding import output as find_output

READY, FITTING, FAILED, WAITING = STATES = "ready", "fitting", "failed", "waiting"

_EVERY, _KEEP_ALIVE = 0.1, 100
_NOTES = 100

logger = LOG.getChild("serve")


class FitStopped(Exception):  # noqa: N818 (it was wanted)
    """The server ends while something is fitted."""


class Progress:
    """How far a fit is, told by one thread and read by others: a `Listener` of a workflow."""

    def __init__(self, state: str) -> None:
        self.state, self.message = state, ""
        self._event: dict[str, Any] = {"stage": "", "done": 0, "total": 0, "note": ""}
        self._n_events = 0
        self._lock = threading.Lock()
        self._ends = False

    def _tell(self, **changed: Any) -> None:
        if self._ends:
            raise FitStopped
        with self._lock:
            self._event = self._event | changed
            self._n_events += 1

    def note(self, text: str) -> None:
        """One line about what was read, chosen or found."""
        self._tell(note=text)

    def warn(self, text: str) -> None:
        """One line of warning."""
        self._tell(note=f"warning: {text}")

    @contextmanager
    def bar(self) -> Iterator[Progress]:
        """Itself: it is told how far a training is."""
        yield self

    def show(self, description: str, done: int, total: int) -> None:
        """What is done, and how far it is."""
        self._tell(stage=description, done=int(done), total=int(total))

    def restart(self) -> None:
        """Something else is done from now on."""

    def stop(self) -> None:
        """The next thing that is told ends the fit."""
        self._ends = True

    async def events(self) -> AsyncIterator[dict[str, Any] | None]:
        """What is told, as it comes, the last one with the state; None now and then where there is no news."""
        # Of a fit that is over, only how it ended.
        seen, quiet = 0 if self.state == FITTING else self._n_events, 0
        while True:
            with self._lock:
                state, event, n_events = self.state, self._event, self._n_events
            if n_events != seen:
                seen, quiet = n_events, 0
                yield event
            if state != FITTING or self._ends:
                yield {"state": state} | ({"message": self.message} if self.message else {})
                return
            await anyio.sleep(_EVERY)
            quiet += 1
            if quiet % _KEEP_ALIVE == 0:
                yield None


def fit(source: RunSource, progress: Progress, opened: Callable[[], None]) -> None:
    """Fit, write the results into their folder and open them; what fails is told, files stay as they were."""
    assert source.fit is not None
    try:
        find_output.check_model_place(source.folder)
        with held(source.folder, find_output.FILES):
            result = answer(source.fit, listener=progress)
            progress.show("writing", 0, 1)
            find_output.write(source.folder, result, source.rerun)
        opened()
    except FitStopped:
        progress.state, progress.message = FAILED, "the fit was stopped"
    except PulinkError as error:
        progress.state, progress.message = FAILED, str(error)
    except Exception:
        logger.exception("the fit failed")
        progress.state, progress.message = FAILED, "the fit failed: see what pulink explore says in its terminal"
    else:
        progress.state = READY
