"""From a finished search to its page: the page says what the terminal says, and what was asked for."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pulink.report.find.build import _history, _read, _settings
from pulink.workflows.link_query import LinkQuery
from pulink.workflows.words import messages
from tests.support.command import call

SAID = [
    (LinkQuery(200, 0.0, None, None), 200, "200 pairs without a recorded link, the likeliest, best first"),
    (
        LinkQuery(None, 0.5, None, None),
        1,
        "1 pair without a recorded link, the likeliest of those with a probability of 0.5 or more, best first",
    ),
    (
        LinkQuery(None, 0.0, 0.2, None),
        30,
        "the longest list of which less than 20% is expected to be false: 30 pairs without a recorded link, the "
        "likeliest first",
    ),
    (
        LinkQuery(50, 0.5, 0.005, None),
        30,
        "the longest list, of at most 50, of which less than 0.5% is expected to be false; here those of it with "
        "a probability of 0.5 or more: 30 pairs without a recorded link, the likeliest first",
    ),
    (
        LinkQuery(None, 0.0, None, 3),
        30,
        "the 3 likeliest missing links of every node. missing_links.csv lists them node by node, nodes in their "
        "order, in 30 rows; here every pair stands once, 20 in all, the likeliest first",
    ),
    (
        LinkQuery(None, 0.5, None, 1),
        30,
        "the likeliest missing link of every node, of those with a probability of 0.5 or more. missing_links.csv "
        "lists them node by node, nodes in their order, in 30 rows; here every pair stands once, 20 in all, the "
        "likeliest first",
    ),
    (LinkQuery(9, 0.0, None, None), 0, "no pair without a recorded link was found"),
    (LinkQuery(9, 0.9, None, None), 0, "no pair without a recorded link has a probability of 0.9 or more"),
    (LinkQuery(None, 0.9, None, 3), 0, "no pair without a recorded link has a probability of 0.9 or more"),
    (
        LinkQuery(None, 0.0, 0.1, None),
        0,
        "no list can be expected to hold less than 10% false links; if you know which share of all links is "
        "missing, say so (--missing-share, missing_share), or check fifty pairs (pulink review)",
    ),
    (
        LinkQuery(None, 0.9, 0.1, None),
        0,
        "no link with a probability of 0.9 or more is in a list with less than 10% false links",
    ),
]


@pytest.mark.parametrize(("wanted", "n_rows", "words"), SAID)
def test_a_list_is_told_as_it_was_asked_for(wanted: LinkQuery, n_rows: int, words: str) -> None:
    assert wanted.describe(n_rows, 20 if wanted.per_node else n_rows) == words


def test_small_shares_keep_their_digits() -> None:
    assert [messages.share(own) for own in (0.1, 0.07, 0.29, 0.005)] == ["10%", "7%", "29%", "0.5%"]


RECORDS: list[tuple[dict[str, Any], str]] = [
    ({"history": [[10, 0.8], [20, 0.9], [30, 0.85]], "n_epochs": 20}, "epoch"),
    (
        {"history": [{"iteration": k, "val_auroc": a} for k, a in ((10, 0.8), (20, 0.9))], "n_iter": 20},
        "iteration",
    ),
    ({"history": [{"round": k, "val_auroc": a} for k, a in ((10, 0.8), (20, 0.9))], "n_rounds": 20}, "round"),
]


@pytest.mark.parametrize(("learned", "step"), RECORDS)
def test_curves_know_what_they_count_and_what_was_kept(learned: dict[str, Any], step: str) -> None:
    (curve,) = _history(learned)
    assert (curve.step, curve.kept, curve.x[:2], curve.y[:2]) == (step, 20, (10, 20), (0.8, 0.9))


def test_a_method_without_training_has_no_curves() -> None:
    assert _history({"n_steps": 0, "val_auroc": 0.9}) == ()


def test_notes_are_no_counts_and_the_method_is_a_setting() -> None:
    names = ("n_nodes", "n_edges", "n_features", "n_rows", "n_duplicates", "n_reversed", "n_loops")
    assert "note" not in dict(_read(dict.fromkeys(names, 3) | {"notes": ["one", "two"]}))
    assert _settings({"method": "l3n", "parameters": {"seed": 0}}) == (("method", "l3n"), ("seed", "0"))


def texts(page: str) -> str:
    return unescape(re.sub("<[^>]*>", "", page.split("<main>")[1]))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--top", "3"), "3 pairs without a recorded link, the likeliest, best first. Searched: "),
        (("--fdr", "0.001"), "No list can be expected to hold less than 0.1% false links; if you know which"),
        (
            ("--min-probability", "1"),
            "No pair without a recorded link has a probability of 1.0 or more. Searched: ",
        ),
        (("--per-node", "2"), "The 2 likeliest missing links of every node. missing_links.csv lists them node"),
    ],
)
def test_a_page_says_which_list_it_shows_and_how_it_was_found(
    asked: tuple[str, ...], words: str, planted_csv: Path, tmp_path: Path
) -> None:
    outcome = call("find", str(planted_csv), "--method", "l3n", *asked, "--out", str(tmp_path / "out"))
    assert outcome.status == 0
    page = texts((tmp_path / "out" / "report.html").read_text())
    assert words in page
    hidden = re.search(r"[\d,]+ edges were hidden.*\(AUROC 0\.\d{4}\)", outcome.err)
    missing = re.search(
        "(how many links are missing cannot be told|about [\\d,]+ links? (is|are) missing).*", outcome.err
    )
    for words in (hidden, missing):
        assert words is not None
        assert f"{words[0][0].upper()}{words[0][1:]}." in page
