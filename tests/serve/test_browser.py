"""A whole review in a real browser: every page, by keyboard, with names that want to be more than text."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import polars as pl
import pytest

import pulink
from tests.support.browser import CHROMIUM
from tests.support.planted import planted_graph

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
expect = playwright.expect

IMAGE = "<img src=x onerror=alert(1)>"
HOSTILE = [IMAGE, "=cmd()", "He said \"hi\" & 'bye'", "abc\u202edef", "</title><script>alert(1)</script>"]
NAMES = [*HOSTILE, *(f"n{k}" for k in range(len(HOSTILE), 60))]
EDGES = [(NAMES[a], NAMES[b]) for a, b in planted_graph(30, 2, 0.3, 0.02, seed=0).edges.tolist()]
PATHS = (
    "/", "/review", "/links", "/answers", "/certificate?level=0.5",
    "/node?" + urlencode({"name": IMAGE}), "/pair?" + urlencode({"source": IMAGE, "target": "n59", "reveal": 1}),
)  # fmt: skip


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What find wrote about two communities, some of whose nodes have hostile names."""
    folder = tmp_path_factory.mktemp("explored") / "results"
    pulink.find(EDGES, method="l3n").save(folder)
    return folder


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """The address, with the token, of the real server in a process of its own."""
    command = [sys.executable, "-m", "pulink", "explore", str(folder), "--no-browser", "--reviewer", "me"]
    environment = {**os.environ, "PULINK_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    try:
        said = ""
        while not (found := re.search(r"http://\S+/enter\?token=\S+", said)):
            line = process.stderr.readline()
            assert line, f"the server did not start: {said}"
            said += line
        yield found[0]
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()


@pytest.fixture
def address(fitted: Path, tmp_path: Path) -> Iterator[str]:
    """Of a server on a copy of the results."""
    shutil.copytree(fitted, tmp_path / "results")
    with served(tmp_path / "results") as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visitor:
    """A window that has entered, and everything that went wrong in it."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        self.context.set_default_timeout(20_000)
        self.base = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.goto(address)
        expect(self.page).to_have_url(f"{self.base}/")

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)

    def without_results(self) -> None:
        """With results there, the page of the fit would lead on to the first page."""
        self.page.route("**/api/run", lambda route: route.fulfill(json={"state": "waiting"}))

    def json(self, path: str) -> Any:
        return json.loads(self.context.request.get(self.base + path).text())

    def begin(self, name: str = "Ann") -> None:
        """Open the review, and say who answers where that is asked."""
        self.go("/review")
        self.page.get_by_label("Your name").fill(name)
        self.page.keyboard.press("Enter")
        self.until_asked()

    def until_asked(self) -> None:
        expect(self.page.locator("#pair bdi")).to_have_count(2)
        expect(self.page.locator(".question")).to_have_attribute("aria-busy", "false")

    def press(self, key: str, count: str) -> None:
        """A key, after which so many are answered."""
        self.page.keyboard.press(key)
        expect(self.page.locator("#count")).to_have_text(f"{count} of 50 answered")
        self.until_asked()

    def truth(self) -> str:
        """The key of the right answer: a pair within one community is a link."""
        texts = self.page.locator("#pair bdi").all_text_contents()
        shown = {name.replace("\u202e", "\\u202E"): k // 30 for k, name in enumerate(NAMES)}
        first, second = (shown[text] for text in texts)
        return "a" if first == second else "x"

    def numbers(self) -> tuple[int, int]:
        """The ends of the interval that the page shows."""
        text = self.page.locator("[data-tells=interval]").text_content()
        low, high = re.findall(r"interval: ([\d,]+) to ([\d,]+)", text)[0]
        return int(low.replace(",", "")), int(high.replace(",", ""))


def places(page: Any) -> list[Any]:
    return [button.bounding_box() for button in page.locator(".answers-bar button").all()]


def test_a_review_from_the_first_page_to_the_certified_list(browser: Any, address: str, tmp_path: Path) -> None:
    visitor = Visitor(browser, address)
    page = visitor.page
    page.get_by_role("link", name="Begin the review").click()
    visitor.begin()
    stand, wide = places(page), visitor.numbers()
    for count in range(1, 21):
        assert "%" not in page.locator(".asking").inner_text()
        visitor.press(visitor.truth(), str(count))
        assert places(page) == stand
    tight = visitor.numbers()
    now = visitor.json("/api/estimate")["missing"]
    assert tight == (round(now["low"]), round(now["high"]))
    assert (tight[1] - tight[0]) / sum(tight) < (wide[1] - wide[0]) / sum(wide)
    write_a_note(visitor)
    undo_and_answer_again(visitor)
    look_at_the_surroundings(visitor)
    open_a_node(visitor)
    change_an_answer(visitor)
    certified = download_the_certified_list(visitor, tmp_path)
    assert visitor.complaints == []
    visitor.context.close()
    feed_back_to_find(tmp_path / "results", certified)


def write_a_note(visitor: Visitor) -> None:
    """Keys type text in the note, and are keys again after Escape."""
    visitor.page.keyboard.press("n")
    visitor.page.keyboard.type("axu <b>?")
    expect(visitor.page.get_by_label("Note, kept with your answer")).to_have_value("axu <b>?")
    visitor.page.keyboard.press("Escape")
    visitor.press("a", "21")
    expect(visitor.page.get_by_label("Note, kept with your answer")).to_have_value("")
    assert visitor.json("/api/answers")["answers"][0]["standing"][0]["note"] == "axu <b>?"


def undo_and_answer_again(visitor: Visitor) -> None:
    before = visitor.numbers()
    asked = visitor.page.locator("#pair").text_content()
    visitor.press("x" if visitor.truth() == "a" else "a", "22")
    assert visitor.numbers() != before
    visitor.press("u", "21")
    expect(visitor.page.locator("#pair")).to_have_text(asked)
    assert visitor.numbers() == before
    visitor.press(visitor.truth(), "22")


def look_at_the_surroundings(visitor: Visitor) -> None:
    page = visitor.page
    page.keyboard.press("w")
    expect(page.locator("#drawing-of-pair svg.network")).to_be_visible()
    assert page.locator("#drawing-of-pair .asked").count() == 2
    page.keyboard.press("w")
    expect(page.locator("#drawing-of-pair")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert visitor.json("/api/run")["questions"]["answered"] == 22


def open_a_node(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Overview").click()
    page.get_by_label("Node").fill(IMAGE)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(IMAGE)
    expect(page.locator("svg.network")).to_be_visible()
    for path in PATHS:
        visitor.go(path)
        assert page.locator("main img, main script, bdi b").count() == 0


def change_an_answer(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Answers").click()
    row = page.locator("tbody[id]").last
    assert visitor.json("/api/answers")["answers"][-1]["standing"][0]["reviewer"] == "Ann"
    number = row.get_attribute("id")
    expect(row.locator("[aria-pressed=true]")).to_have_count(1)
    row.get_by_role("button", name="Unsure").click()
    expect(page.locator("#state")).to_have_text("Saved: unsure.")
    row = page.locator(f"#{number}")
    expect(row.locator(".decision")).to_have_text("unsure")
    expect(row.get_by_role("button", name="Unsure")).to_be_focused()
    expect(row.locator("[aria-pressed=true]")).to_have_text("Unsure")
    expect(row.get_by_text("All 2 answers")).to_be_visible()
    assert visitor.json("/api/estimate")["n_unsure"] == 1


def download_the_certified_list(visitor: Visitor, folder: Path) -> Path:
    page = visitor.page
    page.get_by_role("link", name="Certificate").click()
    page.locator("#percent").fill("50")
    length = visitor.json("/api/certificate?level=0.5")["certified"]["length"]
    assert length > 0
    expect(page.locator("#certified .number")).to_have_text(f"{length:,} pairs")
    expect(page.locator("#slider")).to_have_value("50")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the certified list").click()
    file = folder / "certified.csv"
    started.value.save_as(file)
    with file.open(newline="") as rows:
        listed = list(csv.DictReader(rows))
    # Pairs that were rejected are left out.
    rejected = visitor.json("/api/links?answered=no%20link&size=10000")["links"]
    assert len(listed) == length - sum(link["rank"] <= length for link in rejected)
    assert not any(row["answer"] == "no link" for row in listed)
    return file


def feed_back_to_find(results: Path, certified: Path) -> None:
    """The end of the round trip: what was answered and the certified list, as `find --reviews` takes them."""
    known = pulink.load_model(results).graph_
    accepted = pl.read_csv(certified).filter(pl.col("answer") == "link").height
    assert accepted
    by_list = pulink.find(known, method="l3n", reviews=certified)
    assert by_list.graph.n_edges == known.n_edges + accepted
    by_review = pulink.find(known, method="l3n", reviews=results)
    assert by_review.graph.n_edges > known.n_edges
    assert by_review.graph.n_absent > known.n_absent


@pytest.mark.slow
@pytest.mark.parametrize("arrives", [False, True])
def test_an_answer_is_sent_again_with_its_key_until_it_is_acknowledged(
    browser: Any, address: str, arrives: bool
) -> None:
    """arrives: whether the server gets it at once, and what it answers is lost."""
    visitor = Visitor(browser, address)
    visitor.begin()
    sent: list[dict[str, Any]] = []
    asked = visitor.page.locator("#pair").text_content()

    def lose(route: Any) -> None:
        sent.append(route.request.post_data_json)
        if len(sent) > 2:
            route.continue_()
            return
        if arrives:
            route.fetch()
        assert visitor.page.locator("#pair").text_content() == asked
        route.abort()

    visitor.page.route("**/api/answers", lose)
    visitor.press("a", "1")
    assert len(sent) == 3
    assert sent[0] == sent[1] == sent[2]
    assert re.fullmatch("[0-9a-f]{32}", sent[0]["key"])
    (kept,) = visitor.json("/api/answers")["answers"]
    assert len(kept["history"]) == 1
    visitor.page.unroute("**/api/answers")
    visitor.press("x", "2")
    visitor.context.close()


@pytest.mark.slow
def test_the_name_is_asked_for_once_and_kept(browser: Any, address: str) -> None:
    visitor = Visitor(browser, address)
    visitor.begin("Zoë <i>")
    visitor.press("a", "1")
    visitor.page.reload()
    visitor.until_asked()
    expect(visitor.page.locator("#who")).to_have_text("Zoë <i>")
    assert [own["name"] for own in visitor.json("/api/answers")["reviewers"]] == ["Zoë <i>"]
    assert visitor.complaints == []
    visitor.context.close()


@pytest.mark.slow
def test_what_is_typed_before_the_script_runs_counts(browser: Any, address: str) -> None:
    visitor = Visitor(browser, address)
    held: list[Any] = []
    visitor.page.route("**/static/certificate.js", lambda route: held.append(route))
    visitor.page.goto(f"{visitor.base}/certificate", wait_until="commit")
    visitor.page.locator("#percent").fill("30")
    while not held:
        visitor.page.wait_for_timeout(20)
    held[0].continue_()
    expect(visitor.page).to_have_url(f"{visitor.base}/certificate?level=0.3")
    expect(visitor.page.locator("#slider")).to_have_value("30")
    visitor.context.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_serious(browser: Any, address: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visitor = Visitor(browser, address, color_scheme=scheme, bypass_csp=True)
    visitor.go("/review")
    expect(visitor.page.get_by_role("dialog", name="Who answers?")).to_be_visible()
    found = serious(axe.run(visitor.page), "who answers")
    visitor.begin()
    for count in range(1, 5):
        visitor.press("a", str(count))
    visitor.page.keyboard.press("?")
    found += serious(axe.run(visitor.page), "help")
    visitor.without_results()
    for path in (*PATHS, "/fit"):
        visitor.go(path)
        if path == "/review":
            visitor.until_asked()
            visitor.page.keyboard.press("w")
            expect(visitor.page.locator("#drawing-of-pair svg")).to_be_visible()
        found += serious(axe.run(visitor.page), path)
    assert found == []
    visitor.context.close()


def serious(results: Any, where: str) -> list[str]:
    return [
        f"{where}: {own['id']}: {own['nodes'][0]['html']}"
        for own in results.response["violations"]
        if own["impact"] in ("serious", "critical")
    ]


@pytest.mark.slow
def test_pages_fit_a_telephone_and_fingers(browser: Any, address: str) -> None:
    visitor = Visitor(browser, address, has_touch=True, is_mobile=True)
    page = visitor.page
    page.set_viewport_size({"width": 420, "height": 800})
    visitor.begin()
    visitor.press("a", "1")
    for box in places(page):
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 800
    page.get_by_role("button", name="No link").tap()
    expect(page.locator("#count")).to_have_text("2 of 50 answered")
    small = "button, select, input:not([type=checkbox]), nav a, .action, td a, th a"
    visitor.without_results()
    for path in (*PATHS, "/fit"):
        visitor.go(path)
        if path == "/review":
            visitor.until_asked()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        for element in page.locator("body").locator(small).all():
            if element.is_visible():
                assert element.bounding_box()["height"] >= 43.9, (path, element.evaluate("e => e.outerHTML"))
    visitor.context.close()


@pytest.mark.slow
def test_a_fit_is_followed_to_its_end(browser: Any, tmp_path: Path) -> None:
    edges = tmp_path / "edges.csv"
    with edges.open("w", newline="") as file:
        csv.writer(file).writerows([("source", "target"), *EDGES])
    with served(tmp_path / "new", "--fit", str(edges), "--method", "l3n") as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("heading", name="Overview")).to_be_visible(timeout=120_000)
        context.close()
