"""Which list is asked for: numbers of any library become plain ones, and messages spell as the caller does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pulink.cli.parsing.options import flag
from pulink.errors import ParameterError
from pulink.workflows.link_query import LinkQuery


def test_numbers_become_plain() -> None:
    asked: dict[str, Any] = {"top": np.int64(5), "min_probability": np.float32(0.5), "fdr": np.float64(0.25)}
    query = LinkQuery(**asked).checked()
    assert vars(query) == {"top": 5, "min_probability": 0.5, "fdr": 0.25, "per_node": None}
    assert [type(query.top), type(query.min_probability), type(query.fdr)] == [int, float, float]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (LinkQuery(per_node=3, top=5), "per_node makes a list of its own: it does not go with top or fdr"),
        (LinkQuery(fdr=1.5), "fdr must lie between 0 and 1, got 1.5"),
        (LinkQuery(per_node=0), "per_node must be a whole number from 1, got 0"),
        (LinkQuery(min_probability=float("nan")), "min_probability must lie in [0, 1], got nan"),
    ],
)
def test_the_caller_reads_the_names_that_he_gave(query: LinkQuery, message: str) -> None:
    with pytest.raises(ParameterError) as told:
        query.checked()
    assert str(told.value) == message
    with pytest.raises(ParameterError) as typed:
        query.checked(flag)
    assert "--" in str(typed.value)
    assert str(typed.value).replace("--", "").replace("-", "_") == message
