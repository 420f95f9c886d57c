"""GraphML: nodes, edges, and node attributes as a table. Written on expat so that entities can be refused."""

from __future__ import annotations

from pathlib import Path

from pulink.data.formats.graph_files.graph_content import GraphContent
from pulink.data.formats.graph_files.xml_guard import GuardedElements
from pulink.data.formats.sources import label, read_bytes
from pulink.errors import InputError
from pulink.graph.spaces.kinds import DIRECTED
from pulink.text import shown


def read_graphml(source: str | Path) -> GraphContent:
    """Nodes are called by their ids; the file says by edgedefault whether edges have directions."""
    content = GraphContent(label(source))
    elements = _GraphML(content, read_bytes(source))
    elements.read()
    if not elements.seen_graph:
        raise InputError(f"{content.where}: holds no <graph> element; GraphML needs one")
    return content


class _GraphML(GuardedElements):
    """What the parser has met so far."""

    def __init__(self, content: GraphContent, data: bytes) -> None:
        super().__init__(content, data)
        self.seen_graph = False
        self._keys: dict[str, str] = {}
        self._latest_key: str | None = None
        # Where the values of the innermost key, node or edge go; a default of anything else is kept nowhere.
        self._owners: list[dict[str, str]] = []
        self._data_name: str | None = None
        self._characters: list[str] = []

    def opened(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "graph":
            self.seen_graph = True
            if "edgedefault" in attributes:
                said = attributes["edgedefault"]
                self.content.said_directed = said == DIRECTED
                self.content.kind_seen = f"the file says edgedefault={shown(said)}"
        elif tag == "key":
            key = self.need(attributes, "id", tag)
            self._keys[key] = self._latest_key = attributes.get("attr.name", key)
            self._owners.append(self.content.defaults.get(attributes.get("for", ""), {}))
        elif tag == "node":
            self._owners.append(self.content.node(self.need(attributes, "id", tag), self.line))
        elif tag == "edge":
            source, target = (self.need(attributes, end, tag) for end in ("source", "target"))
            self._owners.append(self.content.edge(source, target, self.line))
        elif tag == "data":
            key = attributes.get("key", "")
            self._collect(self._keys.get(key, key))
        elif tag == "default" and self._latest_key is not None:
            self._collect(self._latest_key)

    def closed(self, tag: str) -> None:
        if tag in ("data", "default") and self._data_name is not None:
            if self._owners:
                self._owners[-1][self._data_name] = "".join(self._characters).strip()
            self._data_name = None
        elif tag in ("node", "edge", "key"):
            self._owners.pop()
            if tag == "edge":
                self.content.forget_empty()

    def characters(self, text: str) -> None:
        if self._data_name is not None:
            self._characters.append(text)

    def _collect(self, name: str) -> None:
        self._data_name, self._characters = name, []
