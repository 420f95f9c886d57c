"""How values, names and counts are written in messages.

Names and files are other people's text: in a message they stand on one line, and are short.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

_SHOWN = 60
_LISTED = 12
_LONGEST_PATH = 300
_MINUTE, _HOUR = 60.0, 3_600.0


def shown(value: object) -> str:
    """A value as Python writes it, cut where it is long.

    >>> from pulink.text import shown
    >>> shown("two\\nlines")
    "'two\\\\nlines'"
    """
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]!r}… ({len(value):,} characters)"
    text = repr(value)
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"


def listed(names: Iterable[str], n_listed: int = _LISTED) -> str:
    """The first names, and how many there are besides.

    >>> from pulink.text import listed
    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    every = list(names)
    first = ", ".join(_plain(name) for name in islice(every, n_listed))
    return first if len(every) <= n_listed else f"{first} and {len(every) - n_listed:,} more"


def file_name(path: str | Path) -> str:
    """A path as text that can be written down: bytes of it that are no letters become escapes.

    >>> from pulink.text import file_name
    >>> file_name("caf\\udcff.csv")
    'caf\\\\xff.csv'
    """
    try:
        return os.fsencode(path).decode(errors="backslashreplace")
    except UnicodeEncodeError:
        return str(path).encode(errors="backslashreplace").decode()


def short_path(path: str | Path) -> str:
    """A path in a message, cut where nobody would read on."""
    name = file_name(path)
    return name if len(name) <= _LONGEST_PATH else f"{name[:_SHOWN]}… ({len(name):,} characters)"


def reason(error: BaseException) -> str:
    """What another library says went wrong: its first line, cut where it is long."""
    lines = str(error).splitlines() or [type(error).__name__]
    return _plain(lines[0], 160)


def one_line(error: BaseException) -> str:
    """All that another library says went wrong, without line ends, cut where it is long."""
    return " ".join(str(error).split())[:200]


def _plain(name: str, n_shown: int = _SHOWN) -> str:
    """The name itself where it is printable and short."""
    cut = name if len(name) <= n_shown else f"{name[:n_shown]}…"
    return cut if cut.isprintable() else repr(cut)


def plural(n: int, one: str, many: str | None = None) -> str:
    """A word in the right number.

    >>> plural(1, "node"), plural(2, "node"), plural(2, "is", "are")
    ('node', 'nodes', 'are')
    """
    return one if n == 1 else many or f"{one}s"


def counted(n: int, one: str, many: str | None = None) -> str:
    """How many there are, in the right number.

    >>> from pulink.text import counted
    >>> counted(1, "edge"), counted(1200, "edge"), counted(2, "pair is none", "pairs are none")
    ('1 edge', '1,200 edges', '2 pairs are none')
    """
    return f"{n:,} {plural(n, one, many)}"


def in_bytes(n_bytes: int) -> str:
    """Two figures or three, for people.

    >>> from pulink.text import in_bytes
    >>> in_bytes(3_460_000_000)
    '3.5 GB'
    """
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


def in_time(seconds: float) -> str:
    """Two figures or three, for people.

    >>> from pulink.text import in_time
    >>> in_time(2_040.0)
    '34 min'
    """
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"
