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


def test_numbers_of_numpy_are_numbers() -> None:
    assert CITIES[np.int32(1)] == "Genève"
    assert Names(3)[np.int64(-1)] == "2"
    with pytest.raises(TypeError, match="float"):
        CITIES[1.0]  # type: ignore[call-overload]


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


TYPED = Names(
    5,
    pl.Series(["1", "2", "1", "user:1", "b:c"]),
    pl.Series(["user", "user", "item", "item", "a"]),
)


def test_names_may_be_the_same_where_types_differ() -> None:
    assert TYPED.index_of(["2", "user:2", "item:1", "b:c", "a:b:c"]).tolist() == [1, 1, 2, 4, 4]
    assert TYPED.node_of_type("1", "user") == 0
    assert TYPED.node_of_type("2", "item") is None
    assert Names(2).node_of_type("1", "user") is None
    with pytest.raises(InputError, match="node name '1' occurs more than once"):
        Names(2, pl.Series(["1", "1"]), pl.Series(["user", "user"]))


def test_a_name_of_several_types_says_how_to_write_it() -> None:
    with pytest.raises(InputError, match=r"^'1' names nodes of several types: write item:1 or user:1$"):
        TYPED.index_of(["1"])


def test_a_name_that_looks_like_a_type_and_a_name_is_a_name_first() -> None:
    assert TYPED.index_of(["user:1", "item:user:1"]).tolist() == [3, 3]


@pytest.mark.parametrize("name", ["item:2", "none:1", ":1", "user:"])
def test_types_and_names_that_do_not_go_together_name_nobody(name: str) -> None:
    with pytest.raises(InputError, match=f"no node is called '{name}'"):
        TYPED.index_of([name])


def test_numbers_serve_as_names_of_typed_nodes_too() -> None:
    counted = Names(3, None, pl.Series(["user", "user", "item"]))
    assert counted.index_of(["2", "item:2"]).tolist() == [2, 2]
