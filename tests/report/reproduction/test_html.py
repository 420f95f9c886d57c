"""The page: whole, self-contained, and deaf to what notes and failures would like to say."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pulink.report.reproduction.document import Document, Picture, Section, Text
from pulink.report.reproduction.html import to_html
from pulink.report.reproduction.table_section import table_section
from pulink.report.reproduction.tables import make_table
from tests.support.made_up_runs import Store, experiment

HOSTILE = '</td><script>alert("x")</script><img src="http://example.org/x.png" onerror=alert(1)>'
VOID = {"meta", "br", "img", "source"}


class Reader(HTMLParser):
    """Every tag with its attributes; tags must close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def page(tmp_path: Path) -> str:
    own = experiment(columns=[{"name": "sample", "note": HOSTILE}], expected={}, title=HOSTILE)
    store = Store(tmp_path, own).put("pull", "sample", [97.0]).put("gae", "sample", [96.0])
    store.put("ness", "sample", [95.0]).fail("gcn-ce", "sample", [0], HOSTILE)
    picture = Picture("figure.png", 'a "quoted" <title>', HOSTILE, b"light", b"dark")
    extra = Section("figure", "A figure", (picture, Text(HOSTILE)))
    return to_html(Document(HOSTILE, (table_section(make_table(store.results, own)), extra)))


def test_it_is_well_formed_and_has_no_script(page: str) -> None:
    tags = [tag for tag, _ in Reader(page).tags]
    assert "script" not in tags
    assert "link" not in tags
    assert tags.count("main") == tags.count("h1") == 1


def test_hostile_text_is_shown_as_it_is(page: str) -> None:
    shown = Reader(page).texts
    assert f"sample: {HOSTILE}." in shown
    assert f"[1] gcn-ce on sample failed: {HOSTILE} (seed 0)" in shown
    assert not any("onerror" in attributes for _, attributes in Reader(page).tags)


def test_nothing_is_fetched_from_anywhere(page: str) -> None:
    for _, attributes in Reader(page).tags:
        for name in ("src", "srcset", "href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:image/png;base64,", "#"))
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(style) == 1
    assert "url(" not in style[0]
    assert "@import" not in style[0]


def test_pictures_are_inside_for_light_and_dark(page: str) -> None:
    found: dict[str, dict[str, Any]] = dict(Reader(page).tags)
    light, dark = found["img"]["src"], found["source"]["srcset"]
    assert base64.b64decode(light.partition(",")[2]) == b"light"
    assert base64.b64decode(dark.partition(",")[2]) == b"dark"
    assert found["source"]["media"] == "(prefers-color-scheme: dark)"
    assert found["img"]["alt"] == 'a "quoted" <title>'


def test_contents_point_at_sections_and_every_table_scrolls_by_itself(page: str) -> None:
    tags = Reader(page).tags
    targets = {attributes["href"] for tag, attributes in tags if tag == "a"}
    assert targets == {f"#{attributes['id']}" for tag, attributes in tags if tag == "section"}
    for place, (tag, _) in enumerate(tags):
        if tag == "table":
            assert tags[place - 1] == ("div", tags[place - 1][1] | {"class": "scroll", "tabindex": "0"})


def test_best_and_second_are_marked(page: str) -> None:
    assert "<b>97.00</b>" in page
    assert "<u>96.00</u>" in page
    assert "<u>95.00</u>" not in page
    assert '<tr class="control"><th scope="row">gcn-ce@pull</th>' in page
