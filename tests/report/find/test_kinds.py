"""The page of a directed, a bipartite and a typed graph: headers, arrows, types, files with a direction."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pulink
from pulink.graph.graph import Graph
from pulink.report.find import build
from pulink.report.find.arrows import control_point, head_path, line_path
from pulink.report.find.content import Drawing, FindPage, GraphKind, Link, PageText
from pulink.report.find.page import found_page
from tests.report.find.test_page import Reader, tags_of
from tests.support.browser import CHROMIUM, drive
from tests.support.made_up_page import HOSTILE, found, harmless_names

CITING = GraphKind("directed", ("citing", "cited"))
SIDES = GraphKind("bipartite", ("user", "item"))
TYPED = GraphKind("typed")


def page_of(kind: GraphKind, names: tuple[str, ...] = harmless_names(16), types: tuple[str, ...] = ()) -> FindPage:
    """The made-up page as one of another kind; with types, nodes have them in turn."""
    own = found(names)
    assert own.drawing is not None
    drawing = replace(own.drawing, kind=kind)
    links = own.links
    if kind.is_directed:
        drawing = replace(drawing, n_from=tuple(1 + k % 2 for k in range(len(names))))
    if types:
        numbers = tuple(k % len(types) for k in range(len(names)))
        drawing = replace(drawing, types=numbers, type_names=types)
        of_links = [(types[numbers[a]], types[numbers[b]]) for a, b, _ in drawing.proposed]
        links = tuple(replace(link, types=of) for link, of in zip(links, of_links, strict=True))
    return replace(own, kind=kind, drawing=drawing, links=links)


def body(page: str) -> str:
    return page.split("<main>")[1]


def text(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


def heads(page: str) -> list[str]:
    return [text(own) for own in re.findall('<th scope="col" class="end"[^>]*>(.*?)</th>', page)]


def test_columns_are_called_as_the_ends_are() -> None:
    assert heads(found_page(found())) == ["Source", "Target"]
    assert heads(found_page(page_of(CITING))) == ["citing", "cited"]
    assert heads(found_page(page_of(SIDES, types=("user", "item")))) == ["user", "item"]


def test_only_a_directed_graph_has_arrows() -> None:
    plain, directed = body(found_page(found())), body(found_page(page_of(CITING)))
    typed = body(found_page(page_of(TYPED, types=("drug", "protein"))))
    for page in (plain, typed):
        assert "data-head" not in page and 'class="head' not in page
    assert directed.count('<path class="head" data-of=') == 12
    drawn = re.search('<path class="heads" d="(.*?)"', directed)
    assert drawn is not None and drawn[1].count("Z") == 16
    assert "Arrows run from <bdi>citing</bdi> to <bdi>cited</bdi>." in directed
    assert "url(" not in directed, "markers would name a place; these heads are drawn"


def test_a_pair_is_written_with_its_direction() -> None:
    pages = [found_page(own) for own in (found(), page_of(CITING), page_of(SIDES, types=("user", "item")))]
    titles = [re.findall("<title>(node 0.*?node 1): ", page) for page in pages]
    assert titles == [["node 0 and node 1"], ["node 0 → node 1"], ["node 0 \u2013 node 1"]]


def test_a_node_says_how_many_links_begin_and_end_at_it() -> None:
    page = found_page(page_of(CITING))
    assert "<title>node 0: 1 link from it, 1 to it, " in page
    assert "<title>node 1: 2 links from it, 1 to it, " in page
    assert 'data-edges="0:1;1:2;' in page and ';15:0"' in page, "the last link of the ring runs back"


def test_an_arrow_ends_at_the_border_of_its_node() -> None:
    assert line_path((0, 0), (10, 0)) == "M0.0 0.0L10.0 0.0"
    assert head_path((0, 0), (10, 0), 2, 5) == "M8.0 0.0L3.0 2.0L3.0 -2.0Z"
    there, back = control_point((0, 0), (10, 0)), control_point((10, 0), (0, 0))
    assert there == (5, -2.2) and back == (5, 2.2), "a link and its reverse bend to different sides"


def test_a_link_is_bent_where_its_reverse_is_drawn() -> None:
    drawing = Drawing(tuple("abc"), (2, 2, 2), ((1, 0),), ((0, 1, 0.5), (1, 2, 0.4)), CITING, (1, 1, 1))
    page = found_page(replace(page_of(CITING), drawing=drawing))
    paths = dict(re.findall(r'data-link="(\d)" stroke-opacity="[\d.]+" d="(.*?)"', page))
    assert "Q" in paths["0"] and "Q" not in paths["1"]


def legend(page: str) -> str:
    return text(page.split('<section id="drawing"')[1].split('<div class="keys">')[1].split("</div>")[0])


def test_types_have_colours_and_shapes_and_a_legend() -> None:
    page = found_page(page_of(TYPED, types=("drug", "protein", "disease")))
    assert legend(page).endswith("drugproteindisease")
    assert "group" not in legend(page)
    marks = re.findall(r'<(circle|rect) class="g(\d)(?: near)?" data-n="(\d+)"', page)
    assert {(tag, group, int(n) % 3) for tag, group, n in marks} == {
        ("circle", "1", 0), ("rect", "2", 1), ("rect", "3", 2),
    }  # fmt: skip
    assert page.count('transform="rotate(45 ') == 5 + 1, "diamonds of the drawing and of the legend"
    assert "<title>node 1: 3 recorded links, protein</title><desc>node 1</desc></rect>" in page
    for other in (found(), page_of(CITING)):
        assert "group 1" in legend(found_page(other))
        assert "<rect" not in found_page(other).split('<svg class="network"')[1].split("</svg>")[0]


def test_more_types_than_colours_are_told_as_others() -> None:
    page = found_page(page_of(TYPED, types=tuple(f"type {k}" for k in range(8))))
    assert legend(page).endswith("type 5another type")
    assert "recorded links, another type</title>" in page


def test_hostile_types_and_ends_make_no_element_and_no_attribute() -> None:
    ends = GraphKind("typed", (HOSTILE[0], HOSTILE[1]))
    harmless = found_page(page_of(GraphKind("typed", ("a", "b")), types=("c", "d", "e")))
    hostile = found_page(page_of(ends, HOSTILE, types=(HOSTILE[7], HOSTILE[3], HOSTILE[12])))
    kinds = [{(tag, tuple(name for name, _ in own)) for tag, own in tags_of(page)} for page in (harmless, hostile)]
    assert kinds[0] == kinds[1]
    told = "".join(Reader(hostile).texts)
    assert told.count(HOSTILE[0]) > 1 and HOSTILE[7] in told
    directed = found_page(page_of(GraphKind("directed", (HOSTILE[2], HOSTILE[3])), HOSTILE))
    assert re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066-\u2069]", directed + hostile) is None


def made(graph: Graph) -> FindPage:
    """As `find` makes it of a fitted model."""
    model = pulink.L3N().fit(graph)
    links, _ = model.search_links(5)
    counts = dict.fromkeys(
        ("n_nodes", "n_edges", "n_features", "n_rows", "n_duplicates", "n_reversed", "n_loops"), 3
    )
    run = {
        "graph": counts | {"notes": []}, "warnings": [], "searched": "all", "model": model.summary(),
        "settings": {"method": "l3n", "parameters": {}}, "versions": {},
    }  # fmt: skip
    words = PageText("title", "command", "answer", (), "asked")
    return build.found_of(model, links, [["because"]] * links.height, run, words, links.height)


def bipartite(names: list[str]) -> Graph:
    rows = [(u, 6 + (u + k) % 5) for u in range(6) for k in range(3)]
    types = ["user"] * 6 + ["item"] * 5
    return Graph.from_edges(
        rows,
        11,
        names=names,
        kind="bipartite",
        node_types=types,
        between=[("user", "item")],
        ends=("user", "item"),
    )


def test_names_that_two_types_share_are_labelled_and_others_are_not() -> None:
    page = made(bipartite([str(k) for k in (*range(6), *range(5))]))
    assert {link.types for link in page.links} == {("user", "item")}
    assert '</bdi> <span class="type"><bdi>user</bdi></span></td>' in found_page(page)
    apart = made(bipartite([f"u{k}" for k in range(6)] + [f"i{k}" for k in range(5)]))
    assert {link.types for link in apart.links} == {None}
    assert [link.target[0] for link in apart.links] == ["i"] * 5
    assert apart.drawing is not None
    assert {apart.drawing.types[a] for a, _, _ in apart.drawing.proposed} == {0}
    assert dict(apart.read)["kind of graph"] == "bipartite"
    assert dict(apart.read)["links asked about"] == "user \u2013 item"
    assert dict(apart.read)["nodes of type item"] == "5"


def test_a_typed_page_draws_known_links_of_other_types_too() -> None:
    rows = [(0, 3), (0, 4), (1, 3), (1, 5), (2, 4), (2, 5), (3, 4), (4, 5)]
    graph = Graph.from_edges(
        rows, 6, names=list("abcxyz"), kind="typed", node_types=["drug"] * 3 + ["protein"] * 3,
        between=[("drug", "protein")],
    )  # fmt: skip
    page = made(graph)
    assert page.drawing is not None
    assert len(page.drawing.observed) == 8
    assert dict(page.read)["edges of other types, known"] == "2"


def test_a_directed_page_keeps_the_direction() -> None:
    rows = [(a, b) for a in range(3, 12) for b in range(a - 3, a)] + [(0, 11)]
    graph = Graph.from_edges(rows, 12, kind="directed", ends=("citing", "cited"))
    page = made(graph)
    assert page.kind == CITING and page.drawing is not None and page.drawing.kind == CITING
    names = page.drawing.names
    told = {(int(names[a]), int(names[b])) for a, b in page.drawing.observed}
    assert told <= {*rows}
    assert dict(page.read)["kind of graph"] == "directed, from citing to cited"
    assert dict(page.read)["edges whose reverse is there too"] == "0"
    assert "edges given in both directions" not in dict(page.read)
    n_from = dict(zip(names, page.drawing.n_from, strict=True))
    assert all(n_from[name] == sum(str(a) == name for a, _ in rows) for name in names)


def test_an_undirected_page_says_nothing_of_kinds() -> None:
    page = made(Graph.from_edges([(a, b) for a in range(3, 12) for b in range(a - 3, a)]))
    assert "kind of graph" not in dict(page.read)
    assert page.kind == GraphKind() and page.links[0].types is None


KIND = """
const made_files = [];
URL.createObjectURL = (blob) => { made_files.push(blob); return "#"; };
HTMLAnchorElement.prototype.click = function () { made_files[made_files.length - 1].file = this.download; };
async function drive() {
  const seen = {}, rows = all("table.links tbody tr");
  for (const button of all("[data-download]")) button.click();
  for (const blob of made_files) seen[blob.file.split(".")[1]] = await blob.text();
  rows[4].cells[0].click();
  await settled();
  seen.status = one("#chosen").textContent;
  seen.lit = all(".nodes .lit").length;
  seen.overlay = one(".overlay .head.chosen")?.getAttribute("d") ?? "";
  const before = one(".heads")?.getAttribute("d");
  one("[data-zoom=in]").click();
  await settled();
  seen.redrawn = one(".heads")?.getAttribute("d") !== before;
  rows[0].querySelector("button.name").click();
  await settled();
  seen.panel = one("#node").textContent;
  one("#node .top button").click();
  seen.count = one("#count").textContent;
  one(".key.group").click();
  seen.group = one("#chosen").textContent;
  seen.wide = [document.documentElement.scrollWidth, innerWidth];
  return seen;
}
"""

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def driven(page: FindPage, folder: Path, width: int = 1440) -> dict[str, Any]:
    return dict(drive(found_page(page), folder, KIND, width))


@pytest.mark.parametrize("width", [420, 1440])
@pytest.mark.slow
@needs_browser
def test_a_directed_page_in_the_browser(tmp_path: Path, width: int) -> None:
    own = page_of(CITING)
    seen = driven(own, tmp_path, width)
    link = own.links[4]
    assert seen["status"].startswith(f"{link.source} → {link.target}: ")
    assert seen["lit"] == 2
    assert seen["overlay"].count("Z") == 1
    assert seen["redrawn"]
    assert "1 link from it, 1 to it · " in seen["panel"]
    assert "→ node 1" in seen["panel"]
    assert "1 link from it" in seen["panel"] and "1 link to it" in seen["panel"]
    assert seen["group"] == "Group 1"
    assert seen["wide"][0] <= width
    assert seen["csv"].startswith("rank,citing,cited,probability,")
    assert [(row["citing"], row["cited"]) for row in json.loads(seen["json"])] == [
        (link.source, link.target) for link in own.links
    ]
    assert '<graph edgedefault="directed">' in seen["graphml"]


@pytest.mark.slow
@needs_browser
def test_a_page_of_two_sides_in_the_browser_keeps_equal_names_apart(tmp_path: Path) -> None:
    """Node k of one side and of the other have the same name."""
    names = tuple(str(k // 2) for k in range(16))
    own = page_of(SIDES, names, ("user", "x: 3 recorded links, <b>"))
    seen = driven(own, tmp_path)
    link = own.links[4]
    assert link.types is not None and own.drawing is not None
    assert seen["status"].startswith(f"{link.source} ({link.types[0]}) \u2013 {link.target} ({link.types[1]}): ")
    assert seen["lit"] == 2 and seen["overlay"] == ""
    assert seen["panel"].startswith("0List only its links\u00d72 recorded links · user")
    assert seen["count"] == f"{sum(0 in ends[:2] for ends in own.drawing.proposed)} of 12 links with 0"
    assert seen["group"] == "user"
    assert seen["csv"].startswith("rank,user,item,")
    read = pl.read_csv(seen["csv"].encode(), infer_schema=False)
    assert read["user"].to_list() == [own_link.source for own_link in own.links]
    ends = {end for ends in own.drawing.proposed for end in ends[:2]}
    assert seen["graphml"].count("<node ") == len(ends)


@pytest.mark.slow
@needs_browser
def test_hostile_types_are_no_wider_than_a_telephone(tmp_path: Path) -> None:
    ends = GraphKind("typed", ("x" * 300, HOSTILE[3]))
    own = page_of(ends, HOSTILE[:11] + HOSTILE[12:] + ("last",), types=("y" * 300, HOSTILE[7], HOSTILE[12]))
    seen = driven(own, tmp_path, 420)
    assert seen["wide"][0] <= 420
    assert seen["lit"] == 2
    assert {"x" * 300, HOSTILE[3]} <= {*json.loads(seen["json"])[0]}


def test_a_link_without_types_has_no_label() -> None:
    page = found_page(replace(page_of(SIDES), links=(Link(1, "a", "b", 0.5, 1.0, None, None, ()),), drawing=None))
    assert 'class="type"' not in body(page)
    assert '<table class="links of-types">' in page
