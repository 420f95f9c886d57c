"""Keywords of `pulink.find` that nobody knows: slips of the pen, and options that the command spells otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from pulink.errors import UnknownParameterError
from pulink.graph.spaces.kinds import KINDS

# Options of the command that Python spells otherwise.
_INSTEAD = {kind: f"kind={kind!r}" for kind in KINDS}
_INSTEAD |= {"set": "the method's parameters as keywords", "column": "kinds={...}"}


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """A keyword that is none of find's, of reading's or of the method's; the nearest known one is named."""
    names = list(dict.fromkeys(known))
    for name in given:
        if name not in names:
            error = UnknownParameterError("parameter of find", name, names)
            if name in _INSTEAD:
                error.args = (f"unknown parameter of find {name!r}: write {_INSTEAD[name]}",)
            raise error
