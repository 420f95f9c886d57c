"""The pages as HTML: what they show, that names stay text, and that nothing in them runs but their modules."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pulink.report.html import escape
from pulink.serve.app import create_app
from pulink.serve.settings import RunSource, ServeSettings
from pulink.workflows.finding.request import FindRequest
from tests.serve.conftest import BASE, HOSTILE, TOKEN, Open, answered, next_of
from tests.support.served import TestClient

# By path, the title of each page and its JSON twin.
PAGES = {
    "/": ("Overview", "/api/run"),
    "/review": ("Review", "/api/estimate"),
    "/links": ("Links", "/api/links"),
    "/answers": ("Answers", "/api/answers"),
    "/certificate": ("Certificate", "/api/certificate"),
}
NODE = "/node?" + urlencode({"name": HOSTILE})
PAIR = "/pair?" + urlencode({"source": HOSTILE, "target": "n59"})
ALL = (*PAGES, NODE, PAIR, "/fit")


class Elements(HTMLParser):
    """Every element with its attributes, and the text outside of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for own, attributes in self.found if own == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_of(client: TestClient, path: str, status: int = 200) -> Elements:
    response = client.get(path)
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    return Elements(response.text)


@pytest.mark.parametrize("path", ALL)
def test_nothing_stands_in_a_page_that_its_policy_forbids(opened: Open, path: str) -> None:
    client = opened()
    answered(client, question=next_of(client)["id"], note="<b>bold</b>")
    page = page_of(client, path)
    for tag, attributes in page.found:
        assert "style" not in attributes, f"<{tag}> has a style"
        assert [name for name in attributes if name.startswith("on")] == [], f"<{tag}> has a handler"
    assert page.of("style") == []
    for script in page.of("script"):
        assert re.fullmatch(r"/static/[a-z]+\.js", str(script["src"]))
        assert client.get(str(script["src"])).headers["content-type"].startswith("text/javascript")
    styles = [own for own in page.of("link") if own["rel"] == "stylesheet"]
    assert len(styles) >= 4
    for style in styles:
        assert client.get(str(style["href"])).headers["content-type"].startswith("text/css")


@pytest.mark.parametrize("path", ALL)
def test_every_page_leads_to_the_same_as_json(opened: Open, path: str) -> None:
    client = opened()
    page = page_of(client, path)
    (twin,) = (own for own in page.of("a") if own.get("rel") == "alternate")
    assert twin["type"] == "application/json"
    response = client.get(str(twin["href"]))
    assert response.status_code == 200, response.text
    assert isinstance(response.json(), dict)


@pytest.mark.parametrize("path", ALL)
def test_pages_have_one_title_one_main_and_labels(opened: Open, path: str) -> None:
    client = opened()
    answered(client, question=next_of(client)["id"])
    page = page_of(client, path)
    assert len(page.of("h1")) == len(page.of("main")) == 1
    assert page.of("nav")[0]["aria-label"] == "Pages"
    assert page.of("html") == [{"lang": "en"}]
    skip = page.of("a")[0]
    assert (skip["class"], skip["href"], page.of("main")[0]["id"]) == ("skip", "#main", "main")
    ids = [own["id"] for _, own in page.found if "id" in own]
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "aria-describedby", "for", "list"):
        assert {own[name] for _, own in page.found if name in own} <= set(ids)


@pytest.mark.parametrize(("path", "told"), PAGES.items())
def test_the_page_is_marked_among_the_others(opened: Open, path: str, told: tuple[str, str]) -> None:
    page = page_of(opened(), path)
    (here,) = (own for own in page.of("a") if "aria-current" in own)
    assert here["href"] == path
    assert page.text.startswith(f"{told[0]} - Missing links of")


def test_hostile_names_are_text_on_every_page(opened: Open) -> None:
    client = opened()
    evil = "<i>\u202eevil"
    answered(client, source=HOSTILE, target="n59", reviewer=evil, note="<script>alert(2)</script>")
    for path in (*ALL, "/links?" + urlencode({"node": HOSTILE}), "/node?name=%3Cb%3Enobody"):
        response = client.get(path)
        page = Elements(response.text)
        assert {tag for tag, _ in page.found}.isdisjoint({"i", "b", "img"})
        assert "alert(1)</script>" not in response.text
        assert "\u202e" not in page.text
    assert HOSTILE in page_of(client, NODE).text
    assert HOSTILE in page_of(client, "/links?" + urlencode({"node": HOSTILE})).text
    assert "<i> \\u202E evil" in page_of(client, "/answers").text
    assert "<script>alert(2)</script>" in page_of(client, PAIR).text


def test_the_first_page_tells_how_far_the_review_is(opened: Open) -> None:
    client = opened()
    assert "0 of 50 questions answered. " in page_of(client, "/").text
    assert "Begin the review" in page_of(client, "/").text
    answered(client, question=next_of(client)["id"])
    page = page_of(client, "/")
    assert "1 of 50 questions answered. " in page.text
    assert "Resume with the review" in page.text
    missing = client.get("/api/estimate").json()["missing"]
    assert f"about {missing['best']:,.0f}" in page.text
    assert f"{missing['low']:,.0f} to {missing['high']:,.0f}" in page.text


def test_the_review_never_tells_what_the_model_thinks(opened: Open) -> None:
    client = opened()
    question = next_of(client)
    assert set(question) == {"id", "source", "target", "reasons", "number"}
    page = page_of(client, "/review")
    assert "Link if this pair belongs into the graph" in page.text
    keys = {own.get("data-answer") or own.get("data-tool"): own["aria-keyshortcuts"] for own in page.of("button")
            if "aria-keyshortcuts" in own}  # fmt: skip
    assert keys == {
        "link": "a", "no link": "x", "unsure": "Space", "undo": "u", "why": "w", "note": "n", "help": "?",
    }  # fmt: skip
    pair = "/pair?" + urlencode({"source": question["source"]["name"], "target": question["target"]["name"]})
    assert "Not shown before somebody has answered" in page_of(client, pair).text
    assert page_of(client, pair).of("data") == []
    assert len(page_of(client, f"{pair}&reveal=1").of("data")) == 1
    answered(client, question=question["id"])
    assert len(page_of(client, pair).of("data")) == 1


def test_links_are_narrowed_down_as_the_api_does_it(opened: Open) -> None:
    client = opened()
    question = next_of(client)
    answered(client, question=question["id"], answer="no link")
    for asked in ({"answered": "no link"}, {"node": HOSTILE}, {"min_probability": "0.05"}, {"page": "2"}, {}):
        twin = client.get("/api/links", params=asked).json()
        page = page_of(client, "/links?" + urlencode(asked))
        ranks = [own for own in page.of("td") if own["class"] == "rank"]
        assert len(ranks) == len(twin["links"])
        assert f"{twin['n_links']:,} link" in page.text
    (row,) = client.get("/api/links", params={"answered": "no link"}).json()["links"]
    page = page_of(client, "/links?answered=no+link")
    assert row["source"]["name"] in page.text
    assert [own["selected"] for own in page.of("option") if own["value"] == "no link"] == [None]


def test_a_node_is_drawn_with_its_likeliest_links(opened: Open) -> None:
    client = opened()
    twin = client.get("/api/nodes/one", params={"name": HOSTILE}).json()
    page = page_of(client, NODE)
    assert f"{twin['degree']} recorded links." in page.text
    assert len(page.of("circle")) == len(twin["drawing"]["nodes"])
    (dashed,) = (own["d"] for own in page.of("path") if "class" not in own)
    assert str(dashed).count("M") == 8
    assert len([own for own in page.of("a") if str(own["href"]).startswith("/pair?")]) == len(twin["links"])


def test_disagreement_and_reviewers_are_shown(opened: Open) -> None:
    client = opened()
    question = next_of(client)["id"]
    answered(client, question=question, reviewer="Ann", answer="link", note="seen in a book")
    answered(client, question=question, reviewer="Bob", answer="no link")
    text = page_of(client, "/answers").text
    assert "Reviewers disagree about 1 pair of this page" in text
    assert "Ann : link seen in a book" in text
    assert "Bob : no link" in text
    assert "Ann 1 0.0%" in text
    assert "1 pair answered." in page_of(client, "/answers?answer=disagreement").text
    answered(client, question=question, reviewer="Bob", answer="link")
    text = page_of(client, "/answers").text
    assert "Reviewers disagree" not in text
    assert "All 3 answers" in text
    assert "Ann 1 100.0%" in text


def test_the_certificate_says_what_the_api_says(opened: Open) -> None:
    client = opened()
    assert "Nothing is certified with fewer than 20 answers" in page_of(client, "/certificate").text
    for _ in range(20):
        answered(client, question=next_of(client)["id"], answer="link")
    twin = client.get("/api/certificate", params={"level": 0.5}).json()
    assert twin["certified"]["length"] > 0
    page = page_of(client, "/certificate?level=0.5")
    assert f"Certified list {twin['certified']['length']:,} pairs" in page.text
    (download,) = (own for own in page.of("a") if own.get("id") == "download")
    assert len(client.get(str(download["href"])).text.splitlines()) == twin["certified"]["length"] + 1
    assert [own["value"] for own in page.of("input")] == ["50", "50"]


def test_nobody_can_answer_where_it_is_read_only(opened: Open, tmp_path: Path) -> None:
    client = opened()
    answered(client, question=next_of(client)["id"])
    reading = opened(read_only=True)
    assert "Read only: answers can be read and not given." in page_of(reading, "/").text
    for path in ("/review", "/answers", PAIR):
        page = page_of(reading, path)
        assert [own for own in page.of("button") if "data-answer" in own or "data-decide" in own] == []


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/node?name=nobody", 404, "No node is called 'nobody'."),
        ("/pair?source=n1", 400, "Target is needed."),
        ("/pair?source=n1&target=n1", 400, "A link needs two different nodes, got 'n1' twice."),
        ("/links?min_probability=2", 400, "Min_probability"),
        ("/links?color=red", 400, "Unknown parameter 'color'"),
        ("/certificate?level=none", 400, "Level"),
    ],
)
def test_what_cannot_be_shown_is_told_on_a_page(opened: Open, path: str, status: int, said: str) -> None:
    page = page_of(opened(), path, status)
    assert said in page.text
    assert "Look up a node" in page.text


@pytest.mark.parametrize("kind", ["directed", "bipartite"])
def test_other_kinds_of_graphs_have_the_same_pages(opened: Open, kind: str) -> None:
    client = opened(kind)
    question = next_of(client)
    answered(client, question=question["id"])
    values: dict[str, str] = {}
    for end in ("source", "target"):
        values |= {end: question[end]["name"], f"{end}_type": question[end]["type"]}
    page = page_of(client, "/pair?" + urlencode(values))
    names = f"{question['source']['name']}.*{question['target']['name']}"
    assert re.search(names, page.text)
    if kind == "directed":
        assert "\u2192" in page.text
        assert "Read it from source to target ." in page_of(client, "/review").text
        assert any(own.get("class") == "head" for own in page.of("path"))
    else:
        assert question["source"]["type"] in page.text
    for path in PAGES:
        page_of(client, path)
    node = {"name": question["source"]["name"], "type": question["source"]["type"]}
    page_of(client, "/node?" + urlencode(node))


def test_while_there_are_no_results_pages_lead_to_the_fit(tmp_path: Path) -> None:
    source = RunSource(tmp_path / "results", FindRequest("sample", method="l3n"))
    app = create_app(source, ServeSettings(token=TOKEN, port=8000))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=BASE, headers=headers, follow_redirects=False) as client:
        for path in (*PAGES, NODE, PAIR):
            response = client.get(path)
            assert (response.status_code, response.headers["location"]) == (303, "/fit")
        page = page_of(client, "/fit")
        assert "Start the fit" in page.text
        assert len(page.of("progress")) == 1


def test_scripts_show_the_characters_that_pages_show() -> None:
    """One list of characters that cannot be seen, in Python and in the browser."""
    script = files("pulink.serve").joinpath("static", "dom.js").read_text()
    parts = "".join(re.findall(r'"((?:\[|\\\\ufeff).*?)"', script))
    written = parts.replace("\\\\", "\\").replace("\\u{e0000}-\\u{e007f}", "\\U000e0000-\\U000e007f")
    in_script = re.compile(written.encode().decode("unicode_escape"))
    every = [chr(code) for code in (*range(0x3000), *range(0xD800, 0xE000), *range(0xFE00, 0x10000), 0xE0001)]
    assert [c for c in every if in_script.match(c)] == [c for c in every if escape._UNSEEN.match(c)]


def test_scripts_and_styles_are_short_and_set_text_only() -> None:
    folder = files("pulink.serve").joinpath("static")
    for own in folder.iterdir():
        text = own.read_text()
        assert len(text.splitlines()) <= 400, own.name
        assert max(map(len, text.splitlines())) <= 115, own.name
        assert re.findall(r"innerHTML|outerHTML *=|insertAdjacentHTML|document\.write|eval\(", text) == [], (
            own.name
        )
        assert "http:" not in text.replace("http://www.w3.org/2000/svg", "")
