"""GML: `graph [ node [ id 0 label "Ada" ] edge [ source 0 target 1 ] ]`.

Read by hand: NetworkX is an extra, and its reader knows no bounds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pulink.data.formats.graph_files.graph_content import GraphContent
from pulink.data.formats.limits import MAX_DEPTH
from pulink.data.formats.sources import label, read_bytes
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.errors import InputError
from pulink.text import listed, shown

# A quoted text may hold line ends; # begins a comment.
_TOKEN = re.compile(r'(?P<space>[^\S\n]+)|(?P<line>\n)|(?P<comment>#[^\n]*)|(?P<word>[^\s"\[\]]+)'
                    r'|(?P<text>"[^"]*")|(?P<bracket>[\[\]])|(?P<open>")')  # fmt: skip
_MOST_CHARACTERS = 131_072


@dataclass
class _Group:
    """A [ ... ] that is being read: what it is called, and its own values."""

    name: str
    line: int
    values: dict[str, str]


def read_gml(source: str | Path, options: ReadOptions = AS_FOUND) -> GraphContent:
    """Nodes are called by their labels, or their names, where these tell them apart; else by their ids."""
    content = GraphContent(label(source), label_names=("label", "name"), said_directed=False)
    try:
        text = read_bytes(source).decode(options.encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise InputError(
            f"{content.where}: not {options.encoding}; save it as UTF-8 or pass its encoding, for example latin-1"
        ) from error
    if not _fill(content, text.removeprefix("\ufeff")):
        raise InputError(f"{content.where}: holds no graph [ ... ]; GML needs one")
    return content


def _fill(content: GraphContent, text: str) -> bool:
    """Every node and edge; whether there was a graph."""
    groups: list[_Group] = []
    key, seen_graph, line = None, False, 1
    for line, symbol in _tokens(content, text):
        if symbol == "]":
            if key is not None or not groups:
                raise content.fail(
                    "a ] that closes nothing" if key is None else f"{shown(key)} has no value", line
                )
            _close(content, groups.pop(), groups)
        elif key is None:
            if not (symbol[0].isalpha() or symbol[0] == "_"):
                raise content.fail(f"{shown(symbol)} where a key is needed", line)
            key = symbol
        elif symbol == "[":
            groups.append(_Group(key.lower(), line, {}))
            seen_graph |= groups[-1].name == "graph"
            if len(groups) > MAX_DEPTH:
                raise content.fail(f"more than {MAX_DEPTH:,} groups inside one another", line)
            key = None
        else:
            if groups:
                groups[-1].values[key] = _value(symbol)
            key = None
    if key is not None or groups:
        raise content.fail(f"ends before {shown(key or groups[-1].name)} does", line)
    return seen_graph


def _tokens(content: GraphContent, text: str) -> Iterator[tuple[int, str]]:
    line = 1
    for found in _TOKEN.finditer(text):
        kind, token = found.lastgroup, found.group()
        if kind == "open":
            raise content.fail("a quotation mark is never closed", line)
        if kind in ("word", "bracket", "text"):
            if len(token) > _MOST_CHARACTERS:
                raise content.fail(f"a value longer than {_MOST_CHARACTERS:,} characters", line)
            yield line, token
        line += token.count("\n")


def _close(content: GraphContent, group: _Group, outer: list[_Group]) -> None:
    """A node or an edge is whole; what other groups hold, such as graphics, is let be."""
    values, line = group.values, group.line
    if [one.name for one in outer] != ["graph"]:
        if group.name == "graph" and not outer and "directed" in values:
            content.said_directed = values["directed"] == "1"
            content.kind_seen = f"the file says directed {listed([values['directed']])}"
        return
    if group.name == "node":
        name = content.checked_name(values.pop("id", ""), "the id of a node", line)
        content.node(name, line).update(values)
    elif group.name == "edge":
        source, target = (
            content.checked_name(values.pop(end, ""), f"the {end} of an edge", line)
            for end in ("source", "target")
        )
        content.edge(source, target, line).update(values)
        content.forget_empty()


def _value(token: str) -> str:
    """Quoted text holds letters beyond ASCII as &#number; ."""
    return html.unescape(token[1:-1]) if token.startswith('"') else token
