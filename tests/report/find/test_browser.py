"""The page in a real browser: rows and drawing answer each other, and its console stays silent."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import pulink
from pulink.data.formats.spreadsheet_guard import csv_of
from pulink.report.find.content import FindPage, Link
from pulink.report.find.page import found_page
from tests.support.browser import CHROMIUM, browse, drive
from tests.support.made_up_page import HOSTILE, found

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

LIST = """
const shown = () => all("table.links tbody:not([hidden])");
const column = (place) => shown().map((body) => body.rows[0].cells[place].textContent);
const header = (place) => all("table.links thead th")[place];
const sort = (place) => header(place).querySelector("button").click();
async function drive() {
  const seen = { first: shown().length };
  one("#more").click();
  seen.all = shown().length;
  sort(1);
  seen.up = column(1);
  sort(1);
  seen.down = column(1);
  seen.sorted = [1, 3].map((place) => header(place).getAttribute("aria-sort"));
  sort(3);
  seen.likeliest = column(0).slice(0, 3);
  sort(3);
  seen.unlikeliest = column(0).slice(0, 3);
  sort(0);
  type("least", "90");
  seen.likely = shown().length;
  seen.lines = all("path[data-link]:not(.off)").length;
  type("search", "NODE 1-");
  seen.named = column(1).concat(column(2));
  seen.count = one("#count").textContent;
  one("#tools").reset();
  await settled();
  seen.cleared = [shown().length, one("#count").textContent];
  return seen;
}
"""


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    names = tuple(f"node {k % 10}-{k}" for k in range(600))
    return dict(drive(found_page(found(names, 150)), tmp_path_factory.mktemp("list"), LIST))


def test_long_tables_begin_short_and_open_whole(listed: dict[str, Any]) -> None:
    assert (listed["first"], listed["all"], listed["cleared"]) == (100, 150, [150, "150 links"])


def test_a_header_sorts_up_and_down(listed: dict[str, Any]) -> None:
    numbers = [[int(part) for part in re.findall(r"\d+", name)] for name in listed["up"]]
    assert numbers == sorted(numbers)
    assert listed["down"] == listed["up"][::-1]
    assert listed["sorted"] == ["descending", None]
    assert listed["likeliest"] == ["1", "2", "3"]
    assert listed["unlikeliest"] == ["150", "149", "148"]


def test_rows_and_lines_are_filtered_by_probability_and_name(listed: dict[str, Any]) -> None:
    likely = [link for link in found(n_links=150).links if link.probability >= 0.9]
    assert listed["likely"] == listed["lines"] == len(likely)
    sources, targets = listed["named"][: len(listed["named"]) // 2], listed["named"][len(listed["named"]) // 2 :]
    assert sources
    assert all(a.startswith("node 1-") or b.startswith("node 1-") for a, b in zip(sources, targets, strict=True))
    assert listed["count"] == f"{len(sources)} of 150 links"


CHOICE = """
const chosen = () => all("table.links tr.chosen").map((row) => row.cells[0].textContent);
const lit = () => all("circle.lit").map((circle) => Number(circle.dataset.n)).sort((a, b) => a - b);
const state = () => ({ chosen: chosen(), lit: lit(), status: one("#chosen").textContent,
  path: one(".overlay .chosen")?.getAttribute("d") ?? "" });
/* A place of a line at which nothing lies above it. */
function openPlace(path) {
  for (let share = 0.1; share < 1; share += 0.05) {
    const at = path.getPointAtLength(share * path.getTotalLength()).matrixTransform(path.getScreenCTM());
    if (document.elementFromPoint(at.x, at.y) === path) return [at.x, at.y];
  }
}
async function drive() {
  const seen = {}, rows = all("table.links tbody tr");
  rows[4].cells[0].click();
  seen.row = state();
  seen.selected = rows.map((row) => row.getAttribute("aria-selected"));
  press(rows[4], "ArrowDown");
  seen.down = state();
  seen.focus = [document.activeElement === rows[5], rows.filter((row) => row.tabIndex === 0).length];
  press(rows[5], "ArrowUp");
  press(rows[4], "ArrowUp");
  seen.up = state();
  press(document.activeElement, "End");
  seen.end = chosen();
  const folded = rows[4].querySelector("details");
  rows[4].focus();
  press(rows[4], "Enter");
  seen.open = [folded.open, folded.querySelector("ul").offsetHeight > 0];
  press(rows[4], "Enter");
  seen.open.push(folded.open);
  press(rows[4], "Escape");
  seen.left = state();
  const line = all("path[data-link]").find((path) => path.dataset.link === "7");
  tap(...openPlace(line));
  seen.line = state();
  const circle = one('circle[data-n="3"]');
  tap(...middle(circle));
  await settled();
  seen.node = { ...state(), panel: one("#node").textContent, hidden: one("#node").hidden };
  seen.buttons = all("#node .partners button").map((button) => button.textContent);
  all("#node .top button").find((button) => button.textContent.includes("only")).click();
  seen.only = { count: one("#count").textContent, rows: all("table.links tbody:not([hidden])").length };
  press(one("#node"), "Escape");
  seen.closed = { hidden: one("#node").hidden, count: one("#count").textContent };
  rows[2].querySelector("button.name").click();
  seen.byName = one("#node h3").textContent;
  one("#node .partners button").click();
  seen.partner = chosen();
  one(".key.group").click();
  seen.group = { lit: lit().length, status: one("#chosen").textContent };
  return seen;
}
"""


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return dict(drive(found_page(found()), tmp_path_factory.mktemp("choice"), CHOICE))


def ends(place: int) -> list[int]:
    drawing = found().drawing
    assert drawing is not None
    return sorted(drawing.proposed[place][:2])


def test_a_row_lights_its_pair(chosen: dict[str, Any]) -> None:
    row = chosen["row"]
    assert (row["chosen"], row["lit"]) == (["5"], ends(4))
    link = found().links[4]
    assert row["status"] == f"{link.source} and {link.target}: 69%, rank 5"
    assert row["path"].count("M") == 1
    assert chosen["selected"] == ["true" if k == 4 else "false" for k in range(12)]


def test_arrow_keys_walk_through_the_rows(chosen: dict[str, Any]) -> None:
    assert (chosen["down"]["chosen"], chosen["down"]["lit"]) == (["6"], ends(5))
    assert chosen["focus"] == [True, 1]
    assert (chosen["up"]["chosen"], chosen["up"]["lit"]) == (["4"], ends(3))
    assert chosen["end"] == ["12"]


def test_enter_opens_the_other_reasons_and_escape_leaves(chosen: dict[str, Any]) -> None:
    assert chosen["open"] == [True, True, False]
    assert chosen["left"] == {"chosen": [], "lit": [], "status": "", "path": ""}


def test_a_line_chooses_its_row(chosen: dict[str, Any]) -> None:
    assert (chosen["line"]["chosen"], chosen["line"]["lit"]) == (["8"], ends(7))


def test_a_node_opens_its_neighbourhood_and_its_list(chosen: dict[str, Any]) -> None:
    """Node 3 is linked to 2 and 4; the proposed links of which it is an end are read from the data."""
    links = [(a, b) for a, b in (ends(k) for k in range(12)) if 3 in (a, b)]
    others = sorted({node for pair in links for node in pair} - {3})
    node = chosen["node"]
    assert not node["hidden"]
    assert node["lit"] == sorted({2, 3, 4, *others})
    assert "node 3" in node["panel"]
    assert "5 recorded links" in node["panel"]
    assert "2 of 5 recorded neighbours, in the drawing" in node["panel"]
    assert sorted(chosen["buttons"]) == sorted([*(f"node {k}" for k in others), "node 2", "node 4"])
    assert chosen["only"] == {"count": f"{len(links)} of 12 links with node 3", "rows": len(links)}
    assert chosen["closed"] == {"hidden": True, "count": "12 links"}


def test_names_in_the_table_open_their_node_and_its_links_lead_back(chosen: dict[str, Any]) -> None:
    assert chosen["byName"] == found().links[2].source
    assert len(chosen["partner"]) == 1
    assert chosen["group"]["status"] == "Group 1"
    assert chosen["group"]["lit"] >= 3


ZOOM = """
const scale = () => Number(/scale\\((.*)\\)/.exec(one(".stage").getAttribute("transform") ?? "scale(1)")[1]);
/* How large names are on the screen, whatever the zoom. */
const pixels = () => one("svg.network").getBoundingClientRect().width / 1000;
const letters = () => Number(one(".names").getAttribute("font-size")) * scale() * pixels();
async function drive() {
  const seen = { scales: [scale()], letters: [letters()], names: [all(".names text").length] };
  const note = async () => {
    await settled();
    seen.scales.push(scale());
    seen.letters.push(letters());
    seen.names.push(all(".names text").length);
  };
  const svg = one("svg.network"), canvas = one(".canvas");
  const [x, y] = middle(svg);
  const wheel = new WheelEvent("wheel", { deltaY: -600, clientX: x, clientY: y, bubbles: true, cancelable: true });
  svg.dispatchEvent(wheel);
  await note();
  const before = one(".stage").getAttribute("transform");
  point("pointerdown", x, y); point("pointermove", x + 50, y + 30); point("pointerup", x + 50, y + 30);
  seen.dragged = before !== one(".stage").getAttribute("transform");
  seen.opened = !one("#node").hidden;
  one('[data-zoom="in"]').click();
  await note();
  one('[data-zoom="out"]').click();
  await note();
  press(canvas, "+");
  await note();
  const at = one(".stage").getAttribute("transform");
  press(canvas, "ArrowRight");
  seen.moved = at !== one(".stage").getAttribute("transform");
  all("table.links tbody tr")[60].cells[0].click();
  await settled();
  const box = svg.getBoundingClientRect();
  const inside = ([a, b]) => a >= box.left && a <= box.right && b >= box.top && b <= box.bottom;
  seen.inView = all("circle.lit").map(middle).every(inside);
  press(canvas, "0");
  await note();
  const out = new WheelEvent("wheel", { deltaY: 300, clientX: x, clientY: y, bubbles: true, cancelable: true });
  svg.dispatchEvent(out);
  seen.scrolls = [wheel.defaultPrevented, out.defaultPrevented];
  return seen;
}
"""


def test_the_drawing_zooms_and_pans_and_its_names_stay_as_large(tmp_path: Path) -> None:
    names = tuple(f"node {k}" for k in range(600))
    seen = drive(found_page(found(names, 150)), tmp_path, ZOOM)
    assert seen["scales"] == pytest.approx([1, 4, 6, 4, 6, 1])
    assert seen["letters"] == pytest.approx([12] * 6, abs=0.1)
    assert seen["names"][0] > 20
    assert all(count > 3 for count in seen["names"])
    assert seen["dragged"] and seen["moved"] and seen["inView"]
    assert not seen["opened"]
    assert seen["scrolls"] == [True, False], "what cannot get smaller leaves the wheel to the page"


DOWNLOADS = """
const made_files = [];
URL.createObjectURL = (blob) => { made_files.push(blob); return "#"; };
HTMLAnchorElement.prototype.click = function () { made_files[made_files.length - 1].file = this.download; };
async function drive() {
  const seen = {};
  for (const button of all("[data-download]")) button.click();
  for (const blob of made_files) seen[blob.file] = await blob.text();
  made_files.length = 0;
  type("search", "=1");
  one("[data-download]").click();
  seen.filtered = await made_files[0].text();
  return seen;
}
"""

COMPUTED = (
    "=1+1",
    "-2+3",
    "+4",
    "@sum",
    "\t=tab",
    "\r=cr",
    "a;=b",
    "# c",
    "'=kept",
    " =blank",
    "\x01control",
    "\\u0001",
)


def to_download() -> FindPage:
    names = (*HOSTILE, *COMPUTED, "quote \" and 'apostrophe'", "plain", "<&>", "end")
    names = tuple(name for name in names if "\ud800" not in name)
    return found(names, len(names))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return dict(drive(found_page(to_download()), tmp_path_factory.mktemp("downloads"), DOWNLOADS))


def frame(links: tuple[Link, ...]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "rank": [link.rank for link in links],
            "source": [link.source for link in links],
            "target": [link.target for link in links],
            "probability": [link.probability for link in links],
            "score": [link.score for link in links],
            "probability_low": [link.low for link in links],
            "probability_high": [link.high for link in links],
            "reason": [link.reasons[0] for link in links],
            "reasons": ["; ".join(link.reasons) for link in links],
        }
    )


def test_a_csv_is_that_of_the_command_to_the_byte(files: dict[str, str]) -> None:
    assert files["missing_links_shown.csv"] == csv_of(frame(to_download().links))


def test_what_is_filtered_out_is_not_downloaded(files: dict[str, str]) -> None:
    links = tuple(link for link in to_download().links if "=1" in link.source + "\n" + link.target)
    assert 0 < len(links) < len(to_download().links)
    assert files["filtered"] == csv_of(frame(links))


def test_a_json_holds_names_as_they_are(files: dict[str, str]) -> None:
    told = json.loads(files["missing_links_shown.json"])
    expected = frame(to_download().links).drop("reasons").to_dicts()
    reasons = [list(link.reasons) for link in to_download().links]
    assert told == [row | {"reasons": why} for row, why in zip(expected, reasons, strict=True)]


def test_a_graphml_is_read_by_pulink_and_keeps_names_apart(files: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "shown.graphml"
    path.write_text(files["missing_links_shown.graphml"], encoding="utf-8", newline="")
    graph = pulink.read(path)
    links = [link for link in to_download().links if link.source != link.target]
    assert graph.n_edges == len({frozenset((link.source, link.target)) for link in links})
    names = {name for link in to_download().links for name in (link.source, link.target)}
    assert graph.n_nodes == len(names)
    read = set(graph.names.take(range(graph.n_nodes)).to_list())
    assert {name for name in names if not re.search("[\0-\x08\x0b\x0c\x0e-\x1f]|^.u0001", name)} <= read
    root = ElementTree.parse(path).getroot()  # noqa: S314
    edges = root.findall(".//{*}edge")
    numbers = [{own.get("key"): own.text for own in edge} for edge in edges]
    assert [float(own["probability"] or 0) for own in numbers] == [
        link.probability for link in to_download().links
    ]


WIDTHS = """
async function drive() {
  const seen = { wide: document.documentElement.scrollWidth, window: innerWidth };
  all("table.links tbody tr")[3].cells[0].click();
  await settled();
  const box = (selector) => one(selector).getBoundingClientRect();
  seen.beside = box("#links").right <= box(".canvas").left + 1;
  seen.canvas = [box(".canvas").left, box(".canvas").right];
  seen.lit = all("circle.lit").length;
  const [x, y] = middle(all("circle.lit")[0]);
  seen.sight = x >= 0 && x <= innerWidth && y >= 0 && y <= innerHeight;
  one("table.links button.name").click();
  await settled();
  seen.opened = document.documentElement.scrollWidth;
  return seen;
}
"""


@pytest.mark.parametrize("names", [None, HOSTILE])
@pytest.mark.parametrize("width", [420, 800, 1440])
def test_the_page_is_as_wide_as_its_window_and_stacks_where_it_is_narrow(
    tmp_path: Path, width: int, names: tuple[str, ...] | None
) -> None:
    seen = drive(found_page(found(names) if names else found()), tmp_path, WIDTHS, width)
    assert seen["window"] == width
    assert seen["wide"] <= width
    assert seen["opened"] <= width
    assert seen["beside"] == (width == 1440)
    assert seen["canvas"][0] >= 0 and seen["canvas"][1] <= width
    assert seen["lit"] == 2
    assert seen["sight"], "the pair of a chosen row is in sight, also where the drawing stands above the list"


TINY = """
async function drive() {
  all("table.links tbody tr")[1].cells[0].click();
  const heads = all("table.links th").map((head) => head.textContent.trim());
  return { heads, status: one("#chosen").textContent, least: one("#least") };
}
"""


def test_a_list_of_tiny_probabilities_goes_by_rank_and_score(tmp_path: Path) -> None:
    own = found()
    links = tuple(replace(link, probability=link.probability / 1e4) for link in own.links)
    seen = drive(found_page(replace(own, links=links)), tmp_path, TINY)
    assert seen["heads"] == ["Rank", "Source", "Target", "Score", "Main reason"]
    assert seen["status"].endswith(": score 2.745, rank 2")
    assert seen["least"] is None


@pytest.mark.parametrize("width", [500, 1600])
def test_hostile_names_do_nothing_but_stand_there(tmp_path: Path, width: int) -> None:
    own = found(HOSTILE)
    path = tmp_path / "report.html"
    path.write_text(found_page(own), encoding="utf-8")
    page, said = browse(path, tmp_path, width)
    assert said == []
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "<foreignobject" not in page.lower()
    assert page.count('<button type="button" class="name"') == 2 * len(own.links)
