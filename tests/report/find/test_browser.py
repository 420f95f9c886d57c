"""The page in a real browser: it sorts, filters and opens reasons, and its console stays silent."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pulink.report.find.content import Link
from pulink.report.find.page import found_page
from pulink.report.html.page import policy
from tests.support.made_up_page import HOSTILE, found

CHROMIUM = shutil.which("chromium")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

# Added to a copy of the page: it does what a reader would do and leaves what it saw in the title.
DRIVER = """
document.addEventListener("DOMContentLoaded", () => {
  const seen = {};
  const shown = () => Array.from(document.querySelectorAll("table.links tbody:not([hidden])"));
  const column = (place) => shown().map((body) => body.rows[0].cells[place].textContent);
  const header = (place) => document.querySelectorAll("table.links thead th")[place];
  const click = (place) => header(place).querySelector("button").click();
  const type = (id, value) => {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event("input", { bubbles: true }));
  };
  seen.first = shown().length;
  document.getElementById("more").click();
  seen.all = shown().length;
  click(1);
  seen.up = column(1);
  click(1);
  seen.down = column(1);
  seen.sorted = [1, 3].map((place) => header(place).getAttribute("aria-sort"));
  click(3);
  seen.likeliest = column(0).slice(0, 3);
  click(3);
  seen.unlikeliest = column(0).slice(0, 3);
  click(0);
  type("least", "90");
  seen.likely = shown().length;
  type("search", "NODE 1-");
  seen.named = column(1).concat(column(2));
  seen.count = document.getElementById("count").textContent;
  document.getElementById("tools").reset();
  setTimeout(() => {
    seen.cleared = shown().length;
    const button = document.querySelector("table.links td button");
    const why = document.getElementById(button.getAttribute("aria-controls"));
    const height = () => [button.getAttribute("aria-expanded"), why.offsetHeight > 0];
    seen.reasons = [height()];
    button.click();
    seen.reasons.push(height());
    button.click();
    seen.reasons.push(height());
    document.getElementById("enlarge").click();
    seen.enlarged = document.getElementById("enlarge").getAttribute("aria-pressed");
    seen.wide = document.documentElement.scrollWidth > innerWidth;
    document.title = JSON.stringify(seen);
  });
});
"""

PLACES = """
document.addEventListener("DOMContentLoaded", () => {
  const places = (row) => Array.from(row.cells, (cell) => {
    const box = cell.getBoundingClientRect();
    return [box.left, Math.round(box.top)];
  });
  const table = document.querySelector("table.links");
  document.title = JSON.stringify([table.tHead.rows[0], table.tBodies[0].rows[0]].map(places));
});
"""


def browse(page: str, folder: Path, width: int = 1200) -> tuple[str, list[str]]:
    """The page as the browser has it in the end, and what its console said."""
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    command = [str(CHROMIUM), *flags.split(), "--disable-component-update", "--enable-logging=stderr"]
    command += [
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},900",
        "--virtual-time-budget=3000",
    ]
    done = subprocess.run([*command, "--dump-dom", path.as_uri()], capture_output=True, timeout=180, check=True)
    said = [row for row in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in row]
    return done.stdout.decode(), said


def driven(page: str, driver: str = DRIVER) -> str:
    """With the driver as a second script that the policy allows."""
    style, script = (re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0] for tag in ("style", "script"))
    assert policy(style, script) in page
    page = page.replace(policy(style, script), policy(style, script, driver))
    return page.replace("</head>", f"<script>{driver}</script></head>")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    names = tuple(f"node {k % 10}-{k}" for k in range(600))
    page, said = browse(driven(found_page(found(names, 120))), tmp_path_factory.mktemp("driven"))
    assert said == []
    title = re.search("<title>(.*?)</title>", page)
    assert title is not None
    return dict(json.loads(unescape(title[1])))


def test_long_tables_begin_short_and_open_whole(seen: dict[str, Any]) -> None:
    assert (seen["first"], seen["all"], seen["cleared"]) == (50, 120, 120)


def test_a_header_sorts_up_and_down(seen: dict[str, Any]) -> None:
    numbers = [[int(part) for part in re.findall(r"\d+", name)] for name in seen["up"]]
    assert numbers == sorted(numbers)
    assert seen["down"] == seen["up"][::-1]
    assert seen["sorted"] == ["descending", None]
    assert seen["likeliest"] == ["1", "2", "3"]
    assert seen["unlikeliest"] == ["120", "119", "118"]


def test_rows_are_filtered_by_probability_and_name(seen: dict[str, Any]) -> None:
    likely = [link for link in found(n_links=120).links if link.probability >= 0.9]
    assert seen["likely"] == len(likely)
    sources, targets = seen["named"][: len(seen["named"]) // 2], seen["named"][len(seen["named"]) // 2 :]
    assert sources
    assert all(a.startswith("node 1-") or b.startswith("node 1-") for a, b in zip(sources, targets, strict=True))
    assert seen["count"] == f"{len(sources)} of 120 links match"


def test_a_button_opens_and_closes_its_reasons(seen: dict[str, Any]) -> None:
    assert seen["reasons"] == [["false", False], ["true", True], ["false", False]]


def test_the_drawing_is_enlarged_and_the_page_stays_as_wide_as_the_window(seen: dict[str, Any]) -> None:
    assert seen["enlarged"] == "true"
    assert not seen["wide"]


@pytest.mark.parametrize("width", [500, 1600])
def test_headers_stand_over_their_cells(tmp_path: Path, width: int) -> None:
    """Places of the five headers and of the first row's cells: the same left edges, and in one order downwards."""
    page, said = browse(driven(found_page(found()), PLACES), tmp_path, width)
    assert said == []
    heads, cells = json.loads(unescape(re.findall("<title>(.*?)</title>", page)[0]))
    assert [x for x, _ in heads] == pytest.approx([x for x, _ in cells], abs=1)
    lines = [[sorted({y for _, y in own}).index(y) for _, y in own] for own in (heads, cells)]
    assert lines[0] == lines[1] == ([0, 0, 1, 0, 1] if width == 500 else [0] * 5)


@pytest.mark.parametrize("width", [500, 1600])
def test_hostile_names_do_nothing_but_stand_there(tmp_path: Path, width: int) -> None:
    own = found(HOSTILE)
    own = replace(own, links=tuple(Link(name, name, 0.5, (name,)) for name in HOSTILE))
    page, said = browse(found_page(own), tmp_path, width)
    assert said == []
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "<foreignobject" not in page.lower()
    assert page.count("<tbody") - 2 == len(HOSTILE)
