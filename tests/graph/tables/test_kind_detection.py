"""What kind of graph rows and columns tell: every rule with a case for it and one against it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import pulink
from pulink.graph.tables.kind_detection import kind_by_rows, kind_by_words, read_as
from pulink.graph.tables.kind_words import telling_columns


def frame(rows: list[tuple[object, object]], columns: tuple[str, str] = ("x", "y")) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(columns), orient="row")


def random_pairs(n_nodes: int, n_rows: int, seed: int = 0) -> np.ndarray:
    """Different pairs, each once, the lower number first."""
    codes = np.flatnonzero(np.triu(np.ones((n_nodes, n_nodes)), 1).ravel())
    chosen = np.random.default_rng(seed).choice(codes, n_rows, replace=False)
    return np.stack(np.divmod(chosen, n_nodes), axis=1)


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (("citing", "cited"), "directed"),
        (("cited", "citing"), "directed"),
        (("Follower_ID", "followee id"), "directed"),
        (("senders", "recipients"), "directed"),
        (("package", "dependency"), "directed"),
        (("user", "item"), "bipartite"),
        (("userId", "movieId"), "bipartite"),
        (("userid", "movieid"), "bipartite"),
        (("Products", "Customer"), "bipartite"),
        (("plant", "pollinator"), "bipartite"),
        (("drug", "target"), "bipartite"),
    ],
)
def test_well_known_names_of_columns_tell_a_kind(columns: tuple[str, str], kind: str) -> None:
    found = kind_by_words(columns)
    assert found is not None and found.kind == kind
    assert pulink.from_frame(frame([("1", "2"), ("2", "3")], columns)).kind == kind


@pytest.mark.parametrize(
    "columns",
    [("source", "target"), ("from", "to"), ("node1", "node2"), ("a", "b"), ("user", "user2"), ("id", "x")],
)
def test_other_names_tell_nothing(columns: tuple[str, str]) -> None:
    assert kind_by_words(columns) is None
    assert pulink.from_frame(frame([("1", "2"), ("2", "3")], columns)).kind == "undirected"


def test_two_sides_stay_apart_where_their_names_collide() -> None:
    graph = pulink.from_frame(frame([(1, 1), (1, 2), (2, 1)], ("user", "item")))
    assert (graph.n_nodes, graph.n_edges, graph.cleaning.n_loops) == (4, 3, 0)


def test_disjoint_columns_are_two_sides() -> None:
    rows = [(f"u{k % 4}", f"i{k % 5}") for k in range(12)]
    graph = pulink.from_frame(frame(rows))
    assert (graph.kind, graph.cleaning.kind_seen) == ("bipartite", "no name stands in both columns")
    assert graph.ends == ("x", "y")


@pytest.mark.parametrize(
    "rows",
    [
        [(f"u{k % 4}", f"i{k % 5}") for k in range(9)],
        [(f"u{k % 4}", f"i{k % 5}") for k in range(12)] + [("u1", "u2")],
        [("hub", f"leaf{k}") for k in range(30)],
        [(f"a{k}", f"b{k}") for k in range(30)],
        [(f"u{k % 2}", f"i{k % 3}") for k in range(60)],
        [(f"u{k % 4}", f"i{k % 5}") for k in range(20)],
    ],
    ids=["few rows", "one name in both", "a star", "no node twice", "few distinct rows", "all linked with all"],
)
def test_these_are_no_two_sides(rows: list[tuple[object, object]]) -> None:
    assert pulink.from_frame(frame(rows)).kind == "undirected"


def test_rows_that_all_have_their_reverse_are_one_link_listed_both_ways() -> None:
    rows = random_pairs(20, 60)
    both = np.concatenate([rows, rows[:, ::-1]])
    assert kind_by_rows(both, 20) == ("undirected", "120 of 120 rows have their reverse")


def test_rows_of_which_some_have_their_reverse_have_a_direction() -> None:
    rows = random_pairs(20, 60)
    assert kind_by_rows(np.concatenate([rows, rows[:10, ::-1]]), 20) == (
        "directed",
        "20 of 70 rows have their reverse",
    )
    few = np.concatenate([rows, rows[:4, ::-1]])
    assert kind_by_rows(few, 20).kind == "undirected"
    small = np.concatenate([rows[:25], rows[:10, ::-1]])
    assert kind_by_rows(small, 20).kind == "undirected"


def test_repeated_rows_and_loops_are_no_evidence() -> None:
    rows = random_pairs(20, 60)
    loops = np.repeat(np.arange(20), 2).reshape(-1, 2)
    assert kind_by_rows(np.concatenate([rows, rows, loops]), 20).kind == "undirected"
    assert kind_by_rows(loops, 20) == ("undirected", "")


def test_lower_first_is_a_link_listed_once_and_so_is_higher_first() -> None:
    rows = random_pairs(20, 60)
    assert kind_by_rows(rows, 20).evidence == "each link is listed once, the lower name first"
    assert kind_by_rows(rows[:, ::-1], 20).kind == "undirected"
    assert kind_by_rows(rows[:, ::-1], 20, timed=True).kind == "directed"


def renamed(rows: np.ndarray, seed: int = 1) -> np.ndarray:
    """The same rows under other numbers, in another order."""
    rng = np.random.default_rng(seed)
    return rng.permutation(rng.permutation(rows.max() + 1)[rows])


def test_rows_without_a_way_back_have_a_direction() -> None:
    found = kind_by_rows(renamed(random_pairs(30, 150)), 30)
    assert found == ("directed", "no row leads back to where others came from")
    few = np.concatenate([random_pairs(60, 600), [[57, 2]]])
    assert kind_by_rows(renamed(few), 60).kind == "undirected", (
        "a single way back closes circles through many rows"
    )


def test_rows_written_either_way_have_none() -> None:
    rows = random_pairs(30, 150)
    turned = np.where(np.random.default_rng(2).random(150)[:, None] < 0.5, rows[:, ::-1], rows)
    assert kind_by_rows(turned, 30) == ("undirected", "")


def test_a_list_that_has_next_to_no_circle_either_way_tells_nothing() -> None:
    path = np.stack([np.arange(200), np.arange(1, 201)], axis=1)
    assert kind_by_rows(renamed(path), 201).kind == "undirected"


def test_a_list_written_out_node_by_node_has_no_direction() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.les_miserables_graph()
    found = pulink.from_frame(frame(list(graph.edges)))
    assert found.kind == "undirected"
    assert found.cleaning.kind_seen is not None and "in the order in which nodes come" in found.cleaning.kind_seen
    assert (found.n_nodes, found.n_edges) == (graph.number_of_nodes(), graph.number_of_edges())


def test_the_line_names_what_to_write_for_another_kind() -> None:
    assert read_as("undirected", "", "--{}") == "read as undirected; --directed if rows have a direction"
    assert read_as("bipartite", "why", 'kind="{}"') == (
        'read as bipartite: why; kind="undirected" if both columns hold nodes of one kind'
    )
    assert read_as("typed", "nodes are of 2 types", "--{}") == "read as typed: nodes are of 2 types"


def test_telling_columns_are_found_among_others_in_their_order() -> None:
    assert telling_columns(["when", "item", "rating", "user"]) == ("item", "user")
    assert telling_columns(["when", "rating"]) is None
    graph = pulink.from_frame(pl.DataFrame({"rating": [3, 4], "user": ["a", "b"], "item": ["a", "c"]}))
    assert (graph.kind, graph.ends, graph.n_nodes) == ("bipartite", ("user", "item"), 4)


def test_what_was_asked_for_comes_before_what_is_seen() -> None:
    rows = frame([("1", "2"), ("2", "3"), ("3", "1")], ("citing", "cited"))
    graph = pulink.from_frame(rows, kind="undirected")
    assert (graph.kind, graph.cleaning.kind_seen, graph.ends) == ("undirected", None, ("source", "target"))
    assert pulink.from_frame(rows, kind="bipartite").n_nodes == 6
