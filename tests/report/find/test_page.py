"""The page of found links: whole, self-contained, equal for equal data, and deaf to hostile names."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.calibration.reliability import Reliability
from pulink.report.find.content import DegreeClass, Drawing, FindPage, Link
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
    assert (
        '<td class="end"><bdi>abc<code>\\u202E</code>dcba<code>\\u202C</code> (turned round)</bdi></td>' in hostile
    )


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


def large(n_nodes: int, n_links: int) -> FindPage:
    """Links among the nodes of a graph of hubs, with long names and as many reasons as there ever are."""
    random = np.random.default_rng(0)
    names = tuple(f"python3-package-with-a-name-{k}" for k in range(n_nodes))
    hubs: npt.NDArray[np.int64] = (n_nodes * random.random((60_000, 2)) ** 3).astype(np.int64)
    edges = np.unique(np.sort(hubs[hubs[:, 0] != hubs[:, 1]], axis=1), axis=0)
    degrees = np.bincount(edges.ravel(), minlength=n_nodes)
    ends = np.sort(random.choice(n_nodes // 4, (n_links, 2)), axis=1)
    shown = np.unique(ends)
    place = np.full(n_nodes, -1)
    place[shown] = np.arange(len(shown))
    among = place[edges]
    reason = "They share 13 neighbours, more than 99.8% of the pairs that have as many links as these two."
    return replace(
        found(names, 2),
        links=tuple(
            Link(k, names[a], names[b], 1 / k, 1 / k, 0.1 / k, 1.0, (reason,) * 5)
            for k, (a, b) in enumerate(ends.tolist(), start=1)
        ),
        drawing=Drawing(
            tuple(names[node] for node in shown.tolist()),
            tuple(degrees[shown].tolist()),
            tuple((a, b) for a, b in among[(among >= 0).all(axis=1)].tolist()),
            tuple((a, b, 1 / k) for k, (a, b) in enumerate(place[ends].tolist(), start=1)),
        ),
    )


def test_a_thousand_links_of_a_large_graph_are_a_small_page() -> None:
    assert len(found_page(large(20_000, 1000)).encode()) < 3e6


def sections(page: str) -> list[str]:
    return [
        value or "" for tag, own in Reader(page).tags if tag == "section" for name, value in own if name == "id"
    ]


def test_every_section_is_there(page: str) -> None:
    expected = "headline warnings links drawing node reliability degrees read history again"
    assert sections(page) == expected.split()


def test_what_has_no_data_is_left_out() -> None:
    text = found_page(nothing_found())
    assert sections(text) == ["headline", "links", "again"]
    assert "<table" not in text
    assert "No list can be expected to hold less than 10% false links. Searched: all pairs of node 6.</p>" in text
    assert "probability asked for" not in text


@pytest.mark.parametrize(
    ("left_out", "section"),
    [
        ({"reliability": None}, "reliability"),
        ({"history": ()}, "history"),
        ({"degree_classes": ()}, "degrees"),
        ({"read": (), "notes": ()}, "read"),
        ({"warnings": ()}, "warnings"),
    ],
)
def test_one_section_without_data_is_left_out_and_no_other(
    left_out: dict[str, Any], section: str, page: str
) -> None:
    own = sections(found_page(replace(found(), **left_out)))
    assert own == [other for other in sections(page) if other != section]


def test_without_a_drawing_the_list_stands_alone() -> None:
    text = found_page(replace(found(), drawing=None))
    assert sections(text) == [
        "headline",
        "warnings",
        "links",
        "reliability",
        "degrees",
        "read",
        "history",
        "again",
    ]
    assert "data-ends" not in text.split("<main>")[1]


def test_without_a_script_all_links_and_lines_are_there() -> None:
    own = found(harmless_names(400), 300)
    read = Reader(found_page(own))
    rows = [
        dict(attributes) for tag, attributes in read.tags if tag == "tbody" and "data-ends" in dict(attributes)
    ]
    lines = [attributes for tag, attributes in read.tags if tag == "path" and "data-link" in dict(attributes)]
    assert len(rows) == len(lines) == 300
    hidden = {dict(attributes).get("id") for _, attributes in read.tags if "hidden" in dict(attributes)}
    assert hidden == {"more", "node"}


def headline(page: str) -> str:
    return page.split('<section id="headline">')[1].split("</section>")[0]


def test_the_answer_comes_first_and_facts_follow(page: str) -> None:
    assert '<p class="answer">About 1,244 links of node 5 are missing.</p>' in headline(page)
    assert "Method node 4: AUROC 0.9215 on hidden edges. What would settle it: a check.</p>" in headline(page)
    assert page.index('id="headline"') < page.index('<table class="links"') < page.index('<svg class="network"')


def test_the_page_says_which_list_was_asked_for(page: str) -> None:
    own = page.split('<section id="links"')[1]
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


def test_bins_that_say_nothing_are_one_sentence_and_no_picture() -> None:
    for bins in (((), (), ()), ((0.07,), (0.09,), (30,)), ((0.07, 0.2), (0.09, 0.3), (30, 20))):
        text = found_page(replace(found(), reliability=Reliability(*bins, 0.02 if bins[0] else None)))
        own = text.split('<section id="reliability">')[1].split("</section>")[0]
        assert "<svg" not in own
        assert "given a probability of 5% or more: the hidden edges cannot test the probabilities.</p>" in own


def link(**told: Any) -> Link:
    return replace(Link(1, "a", "b", 0.5, 3.25, 0.25, 0.75, ()), **told)


def rows(*links: Link) -> list[list[str]]:
    """Texts of the cells by row."""
    page = found_page(replace(found(), links=links, n_found=len(links), drawing=None))
    bodies = page.split("</thead>")[1].split("</table>")[0].split("</tbody>")[:-1]
    return [
        [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall("<td[^>]*>(.*?)</td>", body)]
        for body in bodies
    ]


def test_a_row_tells_rank_probability_with_interval_score_and_main_reason() -> None:
    told = rows(link(reasons=("3 common neighbours.", "2 paths.", "Both are red.")))
    assert told == [
        ["1", "a", "b", "50% (25\u201375%)", "3.25", "3 common neighbours. 2 more2 paths.Both are red."]
    ]


def test_links_that_nothing_tells_apart_share_their_rank() -> None:
    assert [own[0] for own in rows(link(), link(rank=2), link(rank=2), link(rank=4))] == ["1", "2=", "2=", "4"]


def test_small_and_large_ends_of_intervals_are_written_out() -> None:
    told = [
        own[3] for own in rows(link(low=0.0003, high=0.999), link(low=0.004, high=0.2), link(low=None, high=None))
    ]
    assert told == ["50% (< 0.1% to > 99%)", "50% (0.4% to 20%)", "50%"]


def test_a_list_of_tiny_probabilities_has_no_column_of_zeros() -> None:
    told = rows(
        link(probability=0.0004, low=0.0, high=0.002, reasons=("Known.",)), link(rank=2, probability=0.0001)
    )
    assert told == [
        ["1", "a", "b", "3.25", "Known. detailsProbability: < 0.1% (0% to 0.2%)"],
        ["2", "a", "b", "3.25", "none detailsProbability: < 0.1% (25\u201375%)"],
    ]
    page = found_page(replace(found(), links=(link(probability=0.009),)))
    assert "Probability at least" not in page
    assert "Probability at least" in found_page(replace(found(), links=(link(probability=0.01),)))


def test_rows_hold_the_links_in_order_with_their_exact_numbers(page: str) -> None:
    read = re.findall(
        r'<tbody data-ends="(\d+) (\d+)"><tr><td class="rank"><data value="(\d+)">'
        r'.*?<bdi>(.*?)</bdi>.*?<bdi>(.*?)</bdi>.*?<data value="(.*?)" data-low="(.*?)" data-high="(.*?)">'
        r'.*?<data value="(.*?)">',
        page,
    )
    names = harmless_names(16)
    assert [(names[int(a)], names[int(b)]) for a, b, *_ in read] == [(own[3], own[4]) for own in read]
    expected = [
        (str(own.rank), own.source, own.target, *map(repr, (own.probability, own.low, own.high, own.score)))
        for own in found().links
    ]
    assert [own[2:] for own in read] == expected


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = link(probability=np.float64(0.25), score=np.float32(2), low=np.float64(0.125), high=np.float64(1))
    classes = (DegreeClass("1", np.int64(3), np.int64(2)),)  # type: ignore[arg-type]
    text = found_page(replace(found(), links=(numpy,), degree_classes=classes))
    assert '<data value="0.25" data-low="0.125" data-high="1.0">25%</data>' in text
    assert '<data value="2.0">2</data>' in text


def test_a_link_with_one_reason_or_none_has_nothing_to_unfold() -> None:
    for reasons, kind, words in (((), "none", "none"), (("Both are red.",), "main", "Both are red.")):
        text = found_page(replace(found(), links=(link(reasons=reasons),)))
        assert f'<td class="why"><span class="{kind}">{words}</span></td>' in text


def test_very_many_links_are_cut_and_the_page_says_so() -> None:
    many = tuple(link(source=f"a{k}", target=f"b{k}") for k in range(MOST_ROWS + 1))
    text = found_page(replace(found(), links=many, n_found=len(many), drawing=None))
    assert "Here are the first 2,000 of 2,001; all are in missing_links.csv." in text
    assert text.count("<tbody><tr><td class") == MOST_ROWS


def test_the_command_settings_and_versions_are_there(page: str) -> None:
    text = "".join(Reader(page).texts)
    for part in ("pulink find node 1 --out found", "pull-plus", "0.1.0", "22,431"):
        assert part in text
