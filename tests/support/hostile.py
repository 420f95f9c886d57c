"""What every refusal of a stranger's file has in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pulink
from pulink.errors import InputError

EDGES = "source,target\na,b\nb,c\nc,d\n"


def refused(message: str, edges: Path, nodes: Path | None = None, **settings: Any) -> str:
    """Read what must be refused: one short line that begins with the file to blame."""
    with pytest.raises(InputError, match=message) as caught:
        pulink.read(edges, nodes, **settings)
    said = str(caught.value)
    assert said.startswith(str(edges if nodes is None else nodes))
    assert len(said.splitlines()) == 1
    assert len(said) < 600
    return said
