"""Whole graphs in JSON: node-link (NetworkX, D3, vis.js), Cytoscape, and the lines that Neo4j's APOC exports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulink.data.formats.graph_files.graph_content import GraphContent
from pulink.data.formats.json_files.table import plain_values
from pulink.data.formats.json_files.values import JsonValues
from pulink.graph.tables.headers import known_ends
from pulink.text import shown

_IDS = ("id", "key", "name", "label")
_LABELS = ("label", "name")


def graph_in_object(document: Mapping[str, Any], where: str) -> GraphContent | None:
    """The graph of an object with nodes and links, or with elements; None where it has none."""
    inner = document.get("elements", document)
    if isinstance(inner, list):
        return graph_in_values(JsonValues(where, elements=inner))
    if not isinstance(inner, dict):
        return None
    nodes, links = inner.get("nodes"), inner.get("links", inner.get("edges"))
    if not isinstance(nodes, list) or not isinstance(links, list):
        return None
    content = GraphContent(where, label_names=_LABELS, place="element")
    names = _add_nodes(content, list(map(_data, nodes)))
    for number, link in enumerate(map(_data, links), 1):
        _add_link(content, link, names, number)
    _say_direction(content, document)
    return content


def graph_in_values(values: JsonValues) -> GraphContent | None:
    """The graph of Cytoscape's flat list of elements, or of APOC's lines; None where they are neither."""
    content = GraphContent(values.where, label_names=_LABELS, place=values.place)
    is_graph = False
    for number, value in values:
        if not isinstance(value, dict):
            return None
        if value.get("type") == "relationship" and isinstance(value.get("start"), dict):
            ends = (
                _name(value.get(end), content, f"the {end} of a relationship", number) for end in ("start", "end")
            )
            source, target = ends
            attributes = plain_values(value.get("properties") or {})
            content.edge(source, target, number).update(attributes)
            content.forget_empty()
            content.said_directed, content.kind_seen, is_graph = (
                True,
                "relationships of Neo4j have a direction",
                True,
            )
        elif value.get("type") == "node" and "labels" in value:
            name = _name(value, content, "the id of a node", number)
            content.node(name, number).update(plain_values(value.get("properties") or {}))
        elif isinstance(value.get("data"), dict):
            data, is_graph = value["data"], True
            if "source" in data and "target" in data:
                _add_link(content, data, [], number)
            else:
                name = _name(data, content, "the id of a node", number)
                content.node(name, number).update(_without_id(data))
        else:
            return None
    return content if is_graph else None


def _data(item: Any) -> Any:
    """What Cytoscape wraps."""
    inner = item.get("data") if isinstance(item, dict) else None
    return inner if isinstance(inner, dict) else item


def _add_nodes(content: GraphContent, nodes: Iterable[Any]) -> list[str]:
    """Every node; what the links may call them by their places."""
    names = []
    for number, node in enumerate(nodes, 1):
        item = node if isinstance(node, dict) else {"id": node}
        name = _name(item, content, "the id of a node", number)
        if name in content.nodes:
            raise content.fail(f"a second node is called {shown(name)}", number)
        content.node(name, number).update(_without_id(item))
        names.append(name)
    return names


def _add_link(content: GraphContent, link: Any, names: list[str], number: int) -> None:
    if isinstance(link, list) and len(link) == 2:
        link = {"source": link[0], "target": link[1]}
    if not isinstance(link, dict):
        raise content.fail(f"the link is {shown(link)}; an object with source and target is needed", number)
    keys = known_ends(list(link))
    if keys is None:
        raise content.fail("the link has no source and target", number)
    source, target = (_end(link[key], content, names, f"the {key} of the link", number) for key in keys)
    content.edge(source, target, number).update({k: v for k, v in plain_values(link).items() if k not in keys})
    content.forget_empty()


def _end(value: Any, content: GraphContent, names: list[str], what: str, number: int) -> str:
    """A node by its id, as the node itself, or by its place in the list of nodes that have no ids."""
    if isinstance(value, dict):
        return _name(value, content, what, number)
    name = _checked(value, content, what, number)
    is_place = isinstance(value, int) and name not in content.nodes and 0 <= value < len(names)
    return names[value] if is_place else name


def _name(item: Any, content: GraphContent, what: str, number: int) -> str:
    key = next((key for key in _IDS if isinstance(item, dict) and key in item), None)
    if key is None:
        raise content.fail(f"{what} is missing", number)
    return _checked(item[key], content, what, number)


def _checked(value: Any, content: GraphContent, what: str, number: int) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise content.fail(f"{what} is {shown(value)}; ids must be text or whole numbers", number)
    return content.checked_name(str(value), what, number)


def _without_id(item: Mapping[str, Any]) -> dict[str, str]:
    key = next(key for key in _IDS if key in item)
    return {name: text for name, text in plain_values(item).items() if name != key}


def _say_direction(content: GraphContent, document: Mapping[str, Any]) -> None:
    said = document.get("directed")
    if isinstance(said, bool):
        content.said_directed, content.kind_seen = said, f'the file says "directed": {str(said).lower()}'
