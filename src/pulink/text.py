"""Numbers in sentences."""

from __future__ import annotations


def counted(n: int, one: str, many: str | None = None) -> str:
    """How many there are, in the right number.

    >>> counted(1, "edge"), counted(1200, "edge"), counted(2, "pair is none", "pairs are none")
    ('1 edge', '1,200 edges', '2 pairs are none')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
