"""What comments before the first row of a text say of it: the kind of graph, the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Callable

from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, UNDIRECTED
from pulink.graph.tables.headers import known_ends

# The first line of a KONECT file.
_KONECT = re.compile(
    rb"(?m)^%[ \t]*(sym|asym|bip)[ \t]+(?:unweighted|positive|posweighted|signed|multisigned|weighted"
    rb"|multiweighted|dynamic|multiposweighted)\b"
)
_KINDS = {b"sym": UNDIRECTED, b"asym": DIRECTED, b"bip": BIPARTITE}
_SNAP = re.compile(rb"(?mi)^#[ \t]*(un)?directed graph\b")
_READ = 2_000


def stated_kind(preamble: bytes) -> tuple[str, str] | None:
    """The kind of graph that the comments of KONECT and SNAP tell, and by what.

    >>> from pulink.data.formats.comments import stated_kind
    >>> stated_kind(b"% bip unweighted")
    ('bipartite', 'its first line says bip')
    """
    found = _KONECT.match(preamble)
    if found is not None:
        return _KINDS[found[1]], f"its first line says {found[1].decode()}"
    if said := _SNAP.search(preamble[:_READ]):
        return (UNDIRECTED if said[1] else DIRECTED), f"a comment says {said[0].decode().lstrip('# ').lower()}"
    return None


def commented_names(preamble: bytes, width: int, asked: Callable[[list[str]], bool]) -> list[str] | None:
    """The names of `width` columns in the last comment, where it names two ends or what was asked for.

    >>> from pulink.data.formats.comments import commented_names
    >>> commented_names(b"# Nodes: 3\\n# FromNodeId\\tToNodeId\\n", 2, lambda _: False)
    ['FromNodeId', 'ToNodeId']
    """
    last = preamble[-_READ:].rstrip().rpartition(b"\n")[2].decode(errors="replace")
    if not (comment := re.match(r"\s*[#%]+\s*(.+)", last)):
        return None
    for separator in ("\t", ";", "|", ",", None):
        names = [name.strip() for name in comment[1].split(separator)]
        if len(names) == width and all(names) and (asked(names) or known_ends(names)):
            return names
    return None
