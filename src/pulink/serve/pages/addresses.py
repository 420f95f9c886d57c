"""Where pages about nodes and pairs are, and names that lead there. A node is a name and a type, as in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from pulink.report.html.escape import named

Node = Mapping[str, Any]


def query(path: str, values: Mapping[str, object]) -> str:
    """An address, not yet HTML; values that are None or empty are left out."""
    told = {name: value for name, value in values.items() if value is not None and value != ""}
    return f"{path}?{urlencode(told, errors='replace')}" if told else path


def pair_values(source: Node, target: Node) -> dict[str, object]:
    """A pair as a query string has it."""
    return {
        "source": source["name"], "source_type": source.get("type"),
        "target": target["name"], "target_type": target.get("type"),
    }  # fmt: skip


def pair_address(source: Node, target: Node) -> str:
    return query("/pair", pair_values(source, target))


def node_address(node: Node) -> str:
    return query("/node", {"name": node["name"], "type": node.get("type")})


def node_link(node: Node) -> str:
    """The name, which leads to the node's page; its type beside it where nodes have types."""
    return link(node_address(node), named(str(node["name"]))) + of_type(node)


def of_type(node: Node) -> str:
    kind = node.get("type")
    return f' <span class="type">{named(str(kind))}</span>' if kind else ""


def link(address: str, words: str) -> str:
    """words: HTML."""
    return f'<a href="{escape(address)}">{words}</a>'
