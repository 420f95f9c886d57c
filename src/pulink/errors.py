"""Everything pulink raises on purpose.

    PulinkError
    ├── ParameterError      a setting or argument is not allowed          exit 2
    │   └── UnknownNameError     a name that is not in a closed list           exit 2
    │       └── UnknownParameterError   a keyword that a call does not have         exit 2
    ├── InputError          a file or table cannot become a graph         exit 3
    │   ├── LeakError       a held-out pair is visible in training        exit 3
    │   └── ModelError      a model folder is damaged or foreign          exit 3
    ├── TooLargeError       the work would not fit in memory              exit 4
    ├── OutputError         a result cannot be written                    exit 5
    ├── ClusterError        a cluster cannot be used, or loses its work   exit 3
    └── NotFittedError      `fit` has not been called                     exit 2

`exit_status` is what the command returns for it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PulinkError(Exception):
    """The root of the tree: catch this to catch them all."""

    exit_status = 1


class ParameterError(PulinkError, ValueError):
    """A parameter's value is not allowed: the message names it, what is allowed and what arrived."""

    exit_status = 2


class UnknownNameError(ParameterError):
    """A name that is not in a closed list: the message lists the valid ones and guesses what was meant."""

    def __init__(self, what: str, name: str, valid: Iterable[str]) -> None:
        names = sorted(valid)
        close = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        super().__init__(f"unknown {what} {name!r}.{hint} Known: {', '.join(names)}")
        self.suggestion = close[0] if close else None


class UnknownParameterError(UnknownNameError, TypeError):
    """A keyword that a call does not have, which Python calls a TypeError."""


class InputError(PulinkError, ValueError):
    """What a user handed over cannot be used; the message says where and what is allowed."""

    exit_status = 3


class LeakError(InputError):
    """A split shows a held-out pair to training."""


class ModelError(InputError):
    """A model folder is damaged, foreign or from a newer pulink."""


class TooLargeError(PulinkError, MemoryError):
    """The work would not fit in memory."""

    exit_status = 4


class OutputError(PulinkError, OSError):
    """A result cannot be written."""

    exit_status = 5


class ClusterError(PulinkError, RuntimeError):
    """A cluster cannot be used, or work that it was given is lost again and again."""

    exit_status = 3


class NotFittedError(PulinkError, AttributeError, ValueError):
    """A result was asked for before `fit`."""

    exit_status = 2
