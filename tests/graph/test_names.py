"""Names: looked up both ways, and every node has one of its own."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from pulink.errors import InputError
from pulink.graph.names import Names

CITIES = Names(3, pl.Series(["Bern", "Genève", "東京"]))


def test_names_and_numbers_are_inverses() -> None:
    assert [CITIES[i] for i in range(3)] == ["Bern", "Genève", "東京"]
    assert CITIES.index_of(["東京", "Bern", "東京"]).tolist() == [2, 0, 2]
    assert CITIES.take(np.array([2, 0])).to_list() == ["東京", "Bern"]
    assert CITIES.given


def test_without_names_nodes_are_called_by_their_numbers() -> None:
    names = Names(3)
    assert not names.given
    assert names[2] == "2"
    assert names.series().to_list() == ["0", "1", "2"]
    assert names.take(np.array([2, 1])).to_list() == ["2", "1"]
    assert names.index_of(["1"]).tolist() == [1]


def test_a_name_keeps_its_identity() -> None:
    names = Names(3, pl.Series(["1", "001", "1.0"]))
    assert names.index_of(["001", "1.0", "1"]).tolist() == [1, 2, 0]


def test_an_unknown_name_is_named_with_a_guess() -> None:
    with pytest.raises(InputError, match=r"no node is called 'Geneve'; did you mean 'Genève'\?"):
        CITIES.index_of(["Bern", "Geneve"])


def test_a_name_is_text() -> None:
    with pytest.raises(InputError, match=r"node names are strings, got 3 \(int\)"):
        CITIES.index_of([3])


def test_a_node_outside_is_refused() -> None:
    assert CITIES[-1] == "東京"
    with pytest.raises(IndexError, match="node 3 of 3"):
        CITIES[3]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "2 names were given for 3 nodes"),
        (["a", None, "b"], "name is missing"),
        (["a", "b", "a"], "'a' occurs more than once"),
    ],
)
def test_every_node_needs_a_name_of_its_own(names: list[str | None], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Names(3, pl.Series(names))


def test_a_long_list_is_shown_by_its_beginning() -> None:
    assert repr(Names(2)) == "Names(2: '0', '1')"
    assert repr(Names(5)) == "Names(5: '0', '1', '2', ...)"


def test_several_names_are_taken_as_from_a_list() -> None:
    assert CITIES[1:] == ["Genève", "東京"]
    assert Names(4)[::-2] == ["3", "1"]
