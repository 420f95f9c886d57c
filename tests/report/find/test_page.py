"""The page of found links: whole, self-contained, equal for equal data, and deaf to hostile names."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.report.find.content import Estimate, Link
from pulink.report.find.links_table import MOST_ROWS
from pulink.report.find.page import found_page
from tests.support.made_up_page import HOSTILE, found, harmless_names, nothing_found

Tags = list[tuple[str, tuple[tuple[str, str | None], ...]]]


class Reader(HTMLParser):
    """Every tag with its attributes, and every text; tags must close in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Tags = []
        self.texts: list[str] = []
        self.by_tag: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        self.by_tag.setdefault(tag, []).append("")
        if tag not in {"meta", "input"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        for tag in set(self._open):
            self.by_tag[tag][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")


def tags_of(page: str) -> Tags:
    """Without the marks around the codes of unseen characters, of which there are as many as such characters."""
    return [own for own in Reader(page).tags if own != ("code", ())]


@pytest.fixture(scope="module")
def page() -> str:
    return found_page(found())


@pytest.fixture(scope="module")
def hostile() -> str:
    return found_page(found(HOSTILE))


def test_hostile_text_makes_no_element_and_no_attribute(page: str, hostile: str) -> None:
    # Labels of the drawing depend on how wide the names are; the rest does not depend on names at all.
    assert tags_of(found_page(replace(found(HOSTILE), drawing=None))) == tags_of(
        found_page(replace(found(), drawing=None))
    )
    kinds = [{(tag, tuple(name for name, _ in own)) for tag, own in tags_of(text)} for text in (page, hostile)]
    assert kinds[0] == kinds[1]


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(exclude_categories=())), min_size=12, max_size=12))
def test_no_text_whatever_changes_the_page(names: list[str]) -> None:
    text = found_page(replace(found(tuple(names), 4), drawing=None))
    assert tags_of(text) == tags_of(found_page(replace(found(harmless_names(12), 4), drawing=None)))
    text.encode()


def test_hostile_names_are_shown_as_they_are(hostile: str) -> None:
    texts = "".join(Reader(hostile).texts)
    for name in HOSTILE:
        assert (
            re.sub("[\0\t\n\ud800\u200b\u202c\u202e\u2066\u2069]", lambda c: f"\\u{ord(c[0]):04X}", name) in texts
        )


def test_no_character_in_the_page_is_unseen_or_turns_its_surroundings(hostile: str) -> None:
    assert (
        re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]", hostile) is None
    )
    assert "<td><bdi>abc<code>\\u202E</code>dcba<code>\\u202C</code> (turned round)</bdi></td>" in hostile


def test_only_its_own_style_and_script_are_allowed_by_their_hashes(hostile: str) -> None:
    read = Reader(hostile)
    tags = [tag for tag, _ in read.tags]
    assert tags.count("script") == tags.count("style") == 1
    policies = [dict(own)["content"] for _, own in read.tags if ("http-equiv", "Content-Security-Policy") in own]
    hashes = {
        tag: base64.b64encode(hashlib.sha256(read.by_tag[tag][0].encode()).digest()) for tag in ("style", "script")
    }
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{hashes['style'].decode()}'; "
        f"script-src 'sha256-{hashes['script'].decode()}'; base-uri 'none'; form-action 'none'"
    ]
    assert found_page(nothing_found()).split("<script>")[1].split("</script>")[0] == read.by_tag["script"][0]


def test_nothing_is_fetched_and_nothing_is_styled_or_scripted_by_attributes(hostile: str) -> None:
    names = {name for _, own in Reader(hostile).tags for name, _ in own}
    assert not names & {"src", "href", "srcset", "style", "action", "xlink:href"}
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in hostile
    assert "@import" not in hostile


def test_equal_data_gives_equal_bytes(hostile: str) -> None:
    assert found_page(found(HOSTILE)) == hostile


def test_a_thousand_links_are_a_small_page() -> None:
    names = tuple(f"python3-package-with-a-name-{k}" for k in range(1500))
    own = found(names, 1000)
    reason = "They share 13 neighbours, more than 99.8% of the pairs that have as many links as these two."
    own = replace(own, links=tuple(replace(link, reasons=(reason,) * 5) for link in own.links))
    assert len(found_page(own).encode()) < 1.6e6


def sections(page: str) -> list[str]:
    return [
        value or "" for tag, own in Reader(page).tags if tag == "section" for name, value in own if name == "id"
    ]


def test_every_section_is_there(page: str) -> None:
    expected = "headline warnings read links drawing reliability degrees history again"
    assert sections(page) == expected.split()


def test_what_has_no_data_is_left_out() -> None:
    text = found_page(nothing_found())
    assert sections(text) == ["headline", "links", "again"]
    assert "<table" not in text
    assert "<p>No list surely holds less than 10% false links. Searched: all pairs of node 6.</p>" in text
    assert "probability asked for" not in text


@pytest.mark.parametrize(
    ("left_out", "section"),
    [
        ({"reliability": None}, "reliability"),
        ({"drawing": None}, "drawing"),
        ({"history": ()}, "history"),
        ({"degrees_before": (), "degrees_after": ()}, "degrees"),
        ({"warnings": ()}, "warnings"),
    ],
)
def test_one_section_without_data_is_left_out_and_no_other(
    left_out: dict[str, Any], section: str, page: str
) -> None:
    own = sections(found_page(replace(found(), **left_out)))
    assert own == [other for other in sections(page) if other != section]


WORDS = {
    Estimate(812.3, 1243.7, 1904.2, ""): "1,244 links are probably missing (90% interval: 812 to 1,904).",
    Estimate(0, 1.2, math.inf, ""): "1 link is probably missing (90% interval: 0 or more).",
    Estimate(250, 250, 250, ""): "250 links are probably missing.",
    None: "12 likely missing links found.",
}


@pytest.mark.parametrize("estimate", WORDS)
def test_the_headline_says_how_many_are_missing(estimate: Estimate | None) -> None:
    read = Reader(found_page(replace(found(), estimate=estimate, drawing=None)))
    assert WORDS[estimate] in "".join(read.texts)


def test_where_the_edges_hardly_tell_it_the_page_shows_no_large_number() -> None:
    hedge = "The edges hardly tell how many links are missing: between 18 and 354, perhaps 157."
    estimate = Estimate(18, 157, 354, "400 at most.", hedge)
    headline = found_page(replace(found(), estimate=estimate)).split('<section id="headline">')[1]
    headline = headline.split("</section>")[0]
    assert f'<p class="hedge">{hedge}</p>\n<p>400 at most.</p>' in headline
    assert "<strong>" not in headline
    assert "probably missing" not in headline


def test_the_method_and_how_well_it_did_stand_near_the_top(page: str) -> None:
    headline = page.split('<section id="headline">')[1].split("</section>")[0]
    assert "<p>Method node 4: AUROC 0.9215 on hidden edges.</p>" in headline


def test_the_page_says_which_list_was_asked_for(page: str) -> None:
    own = page.split('<section id="links">')[1]
    assert "12 pairs without a recorded link, as node 0 asked. Searched: all pairs of node 6." in own
    assert "the likeliest first" not in own


def test_notes_are_lines_of_their_own_below_the_counts(page: str) -> None:
    own = page.split('<section id="read">')[1].split("</section>")[0]
    counts, notes = own.split("</dl>")
    assert "Column age holds numbers." not in counts
    assert "<li>Column age holds numbers.</li><li>node 1</li>" in notes
    assert ">note<" not in page


def test_what_the_hidden_edges_tell_is_not_called_the_truth(page: str) -> None:
    assert "eally" not in page.split("<main>")[1]
    own = page.split('<section id="reliability">')[1].split("</section>")[0]
    assert '<th scope="col">Links, by the hidden edges</th>' in own
    assert "divided by the share that hidden edges are thought to be of all links" in own


def test_the_kept_value_stands_under_its_curve(page: str) -> None:
    own = page.split('<section id="history">')[1].split("</section>")[0]
    assert own.count("<figcaption>") == 1
    assert "<figcaption>0.97 in node 12 2, which was kept</figcaption>" in own
    assert "at last" not in own


def test_the_headline_adds_the_probabilities_up() -> None:
    links = tuple(Link("a", "b", p, ()) for p in (0.9, 0.8, 0.4))
    assert "about 2 of the 3 links listed below are right" in found_page(
        replace(found(), links=links, drawing=None)
    )
    assert "is right with a probability of 90.0%" in found_page(replace(found(), links=links[:1], drawing=None))


def test_rows_hold_the_links_in_order_with_their_exact_probabilities(page: str) -> None:
    rows = re.findall(
        r'<tr><td>(\d+)</td><td><bdi>(.*?)</bdi></td><td><bdi>(.*?)</bdi></td><td><data value="(.*?)">', page
    )
    expected = [
        (str(k), link.source, link.target, repr(link.probability)) for k, link in enumerate(found().links, 1)
    ]
    assert rows == expected


def test_numbers_of_numpy_are_numbers() -> None:
    link = Link("a", "b", np.float64(0.25), ())
    text = found_page(
        replace(found(), links=(link,), degrees_before=tuple(np.arange(4)), degrees_after=(1, 1, 2, 4))
    )
    assert '<data value="0.25">25.0%</data>' in text


def test_every_button_that_opens_reasons_knows_its_row(page: str) -> None:
    tags = [(tag, dict(own)) for tag, own in Reader(page).tags]
    controls = [own["aria-controls"] for tag, own in tags if tag == "button" and "aria-expanded" in own]
    assert controls == [own["id"] for tag, own in tags if tag == "tr" and "id" in own]
    assert len(controls) == 12
    assert "<li>They share 3 neighbours.</li>" in page


def test_a_link_without_reasons_has_no_button() -> None:
    text = found_page(replace(found(), links=(Link("a", "b", 0.5, ()),)))
    assert 'aria-expanded="' not in text.split("<main>")[1]
    assert '<data value="0">none</data>' in text


def test_very_many_links_are_cut_and_the_page_says_so() -> None:
    many = tuple(Link(f"a{k}", f"b{k}", 0.5, ()) for k in range(MOST_ROWS + 1))
    text = found_page(replace(found(), links=many, n_found=len(many), drawing=None))
    assert "Here are the first 2,000 of 2,001; all are in missing_links.csv." in text
    assert text.count("<tbody><tr><td>") == MOST_ROWS
    assert "about 1,000 of the 2,000 links" in text


def test_the_command_settings_and_versions_are_there(page: str) -> None:
    text = "".join(Reader(page).texts)
    for part in ("pulink find node 1 --out found", "pull-plus", "0.1.0", "22,431"):
        assert part in text
