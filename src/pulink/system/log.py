"""The package's logger: silent until whoever uses pulink says where its lines should go.

>>> import logging
>>> logging.basicConfig(level=logging.INFO)  # doctest: +SKIP
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOG = logging.getLogger("pulink")
LOG.addHandler(logging.NullHandler())


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say at level DEBUG that a stage begins, and how long it took."""
    LOG.debug("%s", what)
    started = time.perf_counter()
    yield
    LOG.debug("%s: done in %.3f s", what, time.perf_counter() - started)
