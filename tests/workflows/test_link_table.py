"""A list of links for people: ties, digits that are known, scores where probabilities tell nothing; by hand."""

from __future__ import annotations

import polars as pl
import pytest

from pulink.predictor.link_lists import COLUMNS
from pulink.workflows.words.link_table import drawn_rows, plain_rows, probability_text, ties


def links(ranks: list[int], probabilities: list[float], sources: str = "abcdef") -> pl.DataFrame:
    """With an interval of a tenth to either side."""
    n = len(ranks)
    columns = [
        ranks, list(sources[:n]), ["z"] * n, probabilities, [5.0 - rank for rank in ranks],
        [p - 0.1 for p in probabilities], [p + 0.1 for p in probabilities],
    ]  # fmt: skip
    return pl.DataFrame(dict(zip(COLUMNS, columns, strict=True))).with_columns(reason=pl.lit("why"))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((0.7123, 0.5512, 0.8391), "71% (55-84%)"),
        ((0.7123, 0.7101, 0.7142), "71.2% (71.0-71.4%)"),
        ((0.0312, 0.0102, 0.0507), "3.1% (1.0-5.1%)"),
        ((0.00012, 0.00001, 0.003), "0.01% (0.00-0.30%)"),
        ((0.3, 0.3, 0.3), "30.0% (30.0-30.0%)"),
        ((0.71234, None, None), "71%"),
        ((0.04123, None, None), "4.1%"),
        ((0.9999, 0.85, 1.0), ">99% (85-100%)"),
        ((0.001, 0.0, 0.2), "<1% (0-20%)"),
        ((1.0, None, None), "100%"),
        ((0.0, None, None), "0.0%"),
    ],
)
def test_a_probability_has_the_digits_that_its_interval_leaves(
    given: tuple[float, float | None, float | None], text: str
) -> None:
    assert probability_text(*given) == text


def test_equal_scores_share_a_rank_that_says_so() -> None:
    found = links([1, 2, 2, 4], [0.9, 0.5, 0.5, 0.2])
    columns, rows = drawn_rows(found, found)
    assert columns == ["rank", "source", "target", "probability", "reason"]
    assert rows[0] == ["1", "a", "z", "90% (80-100%)", "why"]
    assert [row[0] for row in rows] == ["1", "2=", "2=", "4"]
    # The second of a tie may be on the next page.
    assert [row[0] for row in drawn_rows(found.head(2), found)[1]] == ["1", "2="]


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ([1, 2, 3], None),
        ([1, 2, 2, 2, 2, 6], "ranks 2 to 5 tie: equal scores"),
        ([1, 1, 3, 4, 4, 4], "ranks 1 to 2 and 4 to 6 tie: equal scores"),
        ([1, 1, 3, 3, 5, 5], "ranks 1 to 2, 3 to 4 and 5 to 6 tie: equal scores"),
        ([1, 1, 3, 3, 5, 5, 7, 7], "ranks 1 to 2, 3 to 4, 5 to 6 and another group tie: equal scores"),
        ([1, 1, 3, 3, 5, 5, 7, 7, 9, 9], "ranks 1 to 2, 3 to 4, 5 to 6 and 2 other groups tie: equal scores"),
    ],
)
def test_ties_are_told_in_one_line(ranks: list[int], told: str | None) -> None:
    assert ties(links(ranks, [0.5] * len(ranks), "abcdefghij")) == told


def test_where_every_node_has_its_own_list_its_own_ranks_tie() -> None:
    each = links([1, 1, 2], [0.5, 0.5, 0.2], "abb")
    assert ties(each, by_node=True) is None
    assert [row[0] for row in drawn_rows(each, each, by_node=True)[1]] == ["1", "1", "2"]
    tied = links([1, 1, 1], [0.5, 0.5, 0.5], "abb")
    assert ties(tied, by_node=True) == 'ranks with "=" tie: equal scores'
    assert [row[0] for row in drawn_rows(tied, tied, by_node=True)[1]] == ["1", "1=", "1="]


def test_scores_are_shown_where_every_probability_is_next_to_nothing() -> None:
    found = links([1, 2], [0.009, 0.001])
    columns, rows = drawn_rows(found, found)
    assert columns[3] == "score"
    assert [row[3] for row in rows] == ["4", "3"]


def test_a_pipe_gets_every_digit_and_nothing_for_nothing() -> None:
    found = links([1], [1 / 3]).with_columns(probability_low=pl.lit(None, pl.Float64))
    columns, rows = plain_rows(found)
    assert columns == [*COLUMNS, "reason"]
    assert rows == [["1", "a", "z", repr(1 / 3), "4.0", "", repr(1 / 3 + 0.1), "why"]]


def test_an_empty_list() -> None:
    none = links([], [])
    assert ties(none) is None
    assert drawn_rows(none, none)[1] == plain_rows(none)[1] == []
