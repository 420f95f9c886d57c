"""One node: its surroundings, the links it most likely lacks, and those that are recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulink.report.html.blocks import section
from pulink.report.html.escape import named
from pulink.serve.pages.addresses import node_link, of_type, query
from pulink.serve.pages.drawing import drawing_figure, drawn_pairs
from pulink.serve.pages.frame import framed, heading
from pulink.serve.pages.links import links_table
from pulink.text import counted


def node_page(run: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    node = found["node"]
    name, degree = str(node["name"]), int(found["degree"])
    parts = [
        heading(f"{named(name)}{of_type(node)}", f"{counted(degree, 'recorded link')}."),
        section("links", "Its likeliest links", _links(found)),
        section("drawing", "Its surroundings", _drawing(found, name)),
        section("neighbours", "Its recorded links", _neighbours(found, degree)),
    ]
    twin = query("/api/nodes/one", {"name": name, "type": node.get("type")})
    return framed(name, run, parts, here="/node", twin=twin)


def _links(found: Mapping[str, Any]) -> str:
    return links_table(found["links"], found["node"]) if found["links"] else "<p>No link of it stands out.</p>"


def _drawing(found: Mapping[str, Any], name: str) -> str:
    proposed = drawn_pairs(found["drawing"], found["links"])
    dashed = ", dashed lines the likeliest that are not" if proposed else ""
    words = f"Solid lines are recorded links{dashed}. Larger nodes have more links."
    return drawing_figure(found["drawing"], f"{name} and its neighbours", proposed, words)


def _neighbours(found: Mapping[str, Any], degree: int) -> str:
    neighbours = found["neighbours"]
    if not neighbours:
        return "<p>None.</p>"
    more = f"<p>Here are {len(neighbours):,} of {degree:,}.</p>" if len(neighbours) < degree else ""
    items = "".join(f"<li>{node_link(own)}</li>" for own in neighbours)
    return f'{more}<ul class="neighbours">{items}</ul>'
