"""The list and the drawing for notebooks: a piece of HTML among others, light or dark, without script and ids.

Colours are those of the notebook where it tells them (JupyterLab, VS Code), else those of the text around. Rules
are written for what is inside `.pulink` alone, so that other outputs keep their looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from pulink.graph.graph import Graph
from pulink.predictor.link_lists import link_nodes
from pulink.report.find.build import drawing_of
from pulink.report.find.drawing import scene_of
from pulink.report.find.network_svg import plain_svg
from pulink.report.find.sections import direction, legend

STYLE = """\
.pulink { --ink: var(--jp-content-font-color1, var(--vscode-editor-foreground, currentColor));
  --paper: var(--jp-layout-color0, var(--vscode-editor-background, transparent));
  --rule: color-mix(in srgb, var(--ink) 22%, transparent); color: var(--ink); max-width: 76rem; }
.pulink p { margin: .25em 0; max-width: 48rem; }
.pulink .side { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: flex-start; margin-top: .5rem; }
.pulink .list { flex: 3 1 34rem; max-height: 28rem; overflow: auto; }
.pulink table { border-collapse: collapse; margin: 0; width: 100%; font-size: inherit; color: inherit; }
.pulink caption { text-align: left; font-weight: 600; padding: .2rem .4rem; color: inherit; }
.pulink :is(th, td) { text-align: left; vertical-align: top; padding: .2rem .4rem; max-width: 22rem;
  overflow-wrap: break-word; white-space: normal; border: 0; border-top: 1px solid var(--rule); background: none; }
.pulink th { overflow-wrap: normal; } .pulink td:nth-child(4) { white-space: nowrap; }
.pulink figure { flex: 2 1 20rem; min-width: 0; max-width: 34rem; margin: 0; }
.pulink .network { display: block; width: 100%; height: auto; max-height: 27rem; border: 1px solid var(--rule);
  border-radius: 6px; }
.pulink .observed { fill: none; stroke: var(--ink); stroke-opacity: .28; }
.pulink .heads { fill: var(--ink); fill-opacity: .45; stroke: none; }
.pulink .proposed { fill: none; stroke: #e0661b; }
.pulink .proposed .head { fill: #e0661b; stroke: none; }
.pulink :is(.nodes, .dot) > * { stroke: #33363b; stroke-width: .75; }
.pulink .near { opacity: .6; }
.pulink .g0 { fill: #9298a0; } .pulink .g1 { fill: #2f8fd0; } .pulink .g2 { fill: #e69f00; }
.pulink .g3 { fill: #10b083; } .pulink .g4 { fill: #d586b3; } .pulink .g5 { fill: #7cc6f2; }
.pulink .g6 { fill: #f0e442; }
.pulink .names text { fill: var(--ink); stroke: var(--paper); paint-order: stroke; stroke-linejoin: round;
  unicode-bidi: isolate; font-family: system-ui, sans-serif; }
.pulink .keys { display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .8em; margin-top: .3rem; }
.pulink .key { display: inline-flex; gap: .35rem; align-items: center; }
.pulink .key svg { width: 2rem; height: .75rem; } .pulink .key .dot { width: .8rem; flex: none; }
.pulink .key .proposed { stroke-dasharray: 6 4; }
.pulink figcaption { font-size: .8em; opacity: .8; }
"""


def notebook_html(before: Iterable[str], table: str, drawing: str, after: Iterable[str]) -> str:
    """Paragraphs, the list beside its drawing, and more paragraphs; all of it HTML."""
    words, more = ("".join(f"<p>{text}</p>" for text in texts) for texts in (before, after))
    return (
        f'<div class="pulink"><style>{STYLE}</style>{words}'
        f'<div class="side"><div class="list">{table}</div>{drawing}</div>{more}</div>'
    )


def notebook_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML."""
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def notebook_drawing(graph: Graph, links: pl.DataFrame) -> str:
    """Links and their surroundings as a figure; empty without any."""
    if not links.height:
        return ""
    scene = scene_of(drawing_of(graph, link_nodes(graph, links), links["probability"].to_numpy()))
    if scene is None:
        return ""
    words = f"{scene.words} {direction(scene)}Larger nodes have more recorded links."
    return f"<figure>{plain_svg(scene)}{legend(scene)}<figcaption>{words}</figcaption></figure>"
