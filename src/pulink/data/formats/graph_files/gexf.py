"""GEXF, as Gephi writes it (1.1 to 1.3): nodes by their labels, edges, and attributes of both."""

from __future__ import annotations

from pathlib import Path

from pulink.data.formats.graph_files.graph_content import GraphContent
from pulink.data.formats.graph_files.xml_guard import GuardedElements
from pulink.data.formats.sources import label, read_bytes
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.errors import InputError
from pulink.graph.spaces.kinds import DIRECTED
from pulink.text import shown

_OF_EDGES = ("weight", "label", "start", "end", "timestamp", "kind")


def read_gexf(source: str | Path, options: ReadOptions = AS_FOUND) -> GraphContent:
    """Every edge has the direction that it says, or else that the graph says; a mixture is no kind of graph."""
    content = GraphContent(label(source), label_names=("label",))
    elements = _Gexf(content, read_bytes(source))
    elements.read()
    if not elements.seen_graph:
        raise InputError(f"{content.where}: holds no <graph> element; GEXF needs one")
    if len(elements.directions) > 1 and options.kind is None:
        raise InputError(
            f"{content.where}: some of its edges are directed and some are not; say as what they are to be read, "
            'kind="directed" or kind="undirected" (--directed, --undirected)'
        )
    content.said_directed = elements.directions == {True}
    return content


class _Gexf(GuardedElements):
    """What the parser has met so far."""

    def __init__(self, content: GraphContent, data: bytes) -> None:
        super().__init__(content, data)
        self.seen_graph = False
        self.directions: set[bool] = set()
        self._usual_direction = False
        self._class = "node"
        # Titles of attributes by their ids, apart for nodes and edges.
        self._titles: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._latest_title: str | None = None
        self._default: list[str] | None = None
        self._owners: list[tuple[str, dict[str, str]]] = []

    def opened(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "graph":
            self.seen_graph = True
            if said := attributes.get("defaultedgetype"):
                self._usual_direction = said == DIRECTED
                self.content.kind_seen = f"the file says defaultedgetype={shown(said)}"
        elif tag == "attributes":
            self._class = "edge" if attributes.get("class") == "edge" else "node"
        elif tag == "attribute":
            key = self.need(attributes, "id", tag)
            self._titles[self._class][key] = self._latest_title = attributes.get("title") or key
        elif tag == "default":
            self._default = []
        elif tag == "node":
            values = self.content.node(self.need(attributes, "id", tag), self.line)
            if attributes.get("label", "").strip():
                values["label"] = attributes["label"]
            self._owners.append(("node", values))
        elif tag == "edge":
            self._edge(attributes)
        elif tag == "attvalue" and self._owners:
            kind, values = self._owners[-1]
            # Version 1.1 calls it id.
            key = attributes.get("for") or attributes.get("id", "")
            values[self._titles[kind].get(key, key)] = attributes.get("value", "").strip()

    def closed(self, tag: str) -> None:
        if tag == "default" and self._default is not None:
            if self._latest_title is not None:
                self.content.defaults[self._class][self._latest_title] = "".join(self._default).strip()
            self._default = None
        elif tag in ("node", "edge"):
            self._owners.pop()
            if tag == "edge":
                self.content.forget_empty()

    def characters(self, text: str) -> None:
        if self._default is not None:
            self._default.append(text)

    def _edge(self, attributes: dict[str, str]) -> None:
        source, target = (self.need(attributes, end, "edge") for end in ("source", "target"))
        values = self.content.edge(source, target, self.line)
        values |= {name: attributes[name] for name in _OF_EDGES if name in attributes}
        said = attributes.get("type")
        self.directions.add(self._usual_direction if said is None else said == DIRECTED)
        self._owners.append(("edge", values))
