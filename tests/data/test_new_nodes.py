"""Files about nodes that come later: encoded as the first ones were."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.data.columns.encode import features_by_recipe, node_features
from pulink.data.new_nodes import read_new_nodes
from pulink.errors import InputError, ParameterError
from tests.conftest import Write

EDGES = "source,target\na,b\nb,c\nc,d\nd,a\na,c\n"
NODES = "id,size,kind,title\na,1,x,graph theory\nb,3,y,graph networks\nc,,x,neural networks\nd,5,,theory of sets\n"

cells = st.one_of(st.none(), st.sampled_from(["1", "-2.5", "x", "y z", "graph of words", "", "NA"]))


def recipe_of(table: pl.DataFrame, kinds: dict[str, str] | None = None) -> dict[str, object]:
    """Through JSON, as a model folder keeps it."""
    found: dict[str, object] = json.loads(json.dumps(node_features(table, kinds).recipe))
    return found


@settings(max_examples=40)
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=12))
def test_the_rows_that_a_recipe_was_learned_from_come_out_the_same(rows: list[tuple[str | None, ...]]) -> None:
    table = pl.DataFrame(rows, schema={"one": pl.String, "two": pl.String}, orient="row")
    try:
        learned = node_features(table)
    except InputError:
        return
    found, notes = features_by_recipe(table, recipe_of(table))
    assert np.array_equal(found.toarray(), learned.matrix.toarray())
    assert notes == ()


def test_new_rows_are_placed_among_the_first_ones() -> None:
    first = pl.DataFrame({"size": [1, 3, None], "kind": ["x", "y", "x"], "skip": [None] * 3})
    found, notes = features_by_recipe(
        pl.DataFrame({"kind": ["y", "z", None], "more": [1, 2, 3], "size": ["5", "", "2"]}), recipe_of(first)
    )
    # size: mean 2, spread 1, then whether it is missing; kind=x, kind=y.
    assert found.toarray().tolist() == [[3, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert notes == ("counted as none: 1 unknown value of kind",)


def test_words_are_weighed_as_they_were() -> None:
    first = pl.DataFrame({"title": ["graph theory", "graph networks", "neural networks"]})
    learned = node_features(first, {"title": "text"})
    found, notes = features_by_recipe(
        pl.DataFrame({"title": ["graph networks of proteins", None]}), recipe_of(first, {"title": "text"})
    )
    np.testing.assert_allclose(found.toarray(), [learned.matrix.toarray()[1], np.zeros(4)], rtol=1e-6)
    assert notes == ("counted as none: 2 unknown words of title",)


def test_dates_must_stay_dates() -> None:
    recipe = recipe_of(pl.DataFrame({"day": [date(2020, 1, 1), date(2020, 1, 3)]}))
    found, _ = features_by_recipe(pl.DataFrame({"day": [date(2020, 1, 4)]}), recipe)
    assert found.toarray().tolist() == [[2]]
    with pytest.raises(InputError, match="'day' held Date when the model was fitted, and holds Datetime"):
        features_by_recipe(pl.DataFrame({"day": [datetime(2020, 1, 4)]}), recipe)


@pytest.mark.parametrize(
    "recipe",
    [
        {},
        {"columns": [{}]},
        {"columns": [{"kind": "sum", "with_gaps": False, "name": "size"}]},
        {"columns": [{"kind": "number", "with_gaps": False, "name": "size"}]},
        {
            "columns": [
                {"kind": "number", "with_gaps": False, "name": "size", "mean": "1", "spread": 1, "unit": None}
            ]
        },
        {"columns": [{"kind": "text", "with_gaps": False, "name": "size", "words": ["a", "b"], "rarity": [1.0]}]},
        {"columns": [{"kind": "category", "with_gaps": False, "name": "size", "values": [["a"]]}]},
        {"columns": 7},
    ],
)
def test_what_is_no_recipe_is_refused(recipe: dict[str, object]) -> None:
    with pytest.raises(InputError, match="the recipe of the features cannot be read"):
        features_by_recipe(pl.DataFrame({"size": [1]}), recipe)


def fitted(write: Write, tmp_path: Path) -> pulink.GCNCE:
    """A model that was saved and loaded, as the command uses one."""
    graph = pulink.read(write("edges.csv", EDGES), write("nodes.csv", NODES))
    pulink.GCNCE(max_epochs=2).fit(graph).save(tmp_path / "model")
    return pulink.GCNCE.load(tmp_path / "model")


def test_a_new_name_that_looks_like_an_old_one_is_told(write: Write) -> None:
    known = pulink.read(write("known.csv", "person 1,person 2\nperson 2,person 3\n"))
    new = read_new_nodes(known, write("new.csv", "source,target\nnewbie,persn 1\n"))
    assert new.notes == ("new nodes: 'newbie', 'persn 1' (or did you mean 'person 1'?)",)


def test_files_of_new_nodes_become_what_a_model_takes(write: Write, tmp_path: Path) -> None:
    model = fitted(write, tmp_path)
    new = read_new_nodes(
        model.graph_,
        write("new_edges.csv", "source,target\ne,a\nb,f\na,b\n"),
        write("new_nodes.csv", "id,kind,size,title\ne,x,3,graph theory\na,x,9,ignored\n"),
    )
    assert new.names == ["e", "f"]
    assert {frozenset(edge) for edge in new.edges} == {frozenset(edge) for edge in ("ea", "bf", "ab")}
    assert new.notes == ("1 new node without a row in the node table", "new nodes: 'e', 'f'")
    grown = model.with_nodes(new.names, new.edges, new.features, weights=new.weights)
    assert grown.graph_.feature_names == model.graph_.feature_names
    assert isinstance(grown.graph_.features, sp.csr_array)
    rows = dict(zip(model.graph_.feature_names or (), grown.graph_.features[[4, 5]].toarray().T, strict=True))
    assert rows["size"].tolist() == [0, 0]
    assert rows["size is missing"].tolist() == [0, 1]
    assert rows["kind=x"].tolist() == [1, 0]
    names = list(model.graph_.feature_names or ())
    title = [names.index(f"title: {word}") for word in ("graph", "theory")]
    found = grown.graph_.features[[0, 4]].toarray()[:, title]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
    assert grown.suggest("e", 2)["target"].to_list()


def test_attributes_alone_or_edges_alone_are_enough(write: Write, tmp_path: Path) -> None:
    model = fitted(write, tmp_path)
    told = read_new_nodes(model.graph_, None, write("new.csv", "id,size,kind,title\ne,3,x,graph\n"))
    assert (told.names, told.edges) == (["e"], [])
    assert model.with_nodes(told.names, told.edges, told.features).graph_.n_nodes == 5
    linked = read_new_nodes(model.graph_, write("more.csv", "source,target\ne,a\n"))
    assert linked.features is None
    assert model.with_nodes(linked.names, linked.edges).graph_.n_edges == 6


def test_what_cannot_be_placed_is_refused(write: Write, tmp_path: Path) -> None:
    model = fitted(write, tmp_path)
    graph = model.graph_
    with pytest.raises(ParameterError, match="there is neither"):
        read_new_nodes(graph, None)
    with pytest.raises(InputError, match="every name in the files is a node of the model already"):
        read_new_nodes(graph, write("new.csv", EDGES))
    with pytest.raises(InputError, match=r"new.csv: has no column 'kind'.* its columns are size, title"):
        read_new_nodes(graph, None, write("new.csv", "id,size,title\ne,1,x\n"))
    with pytest.raises(InputError, match=r"new.csv, line 3: size is 'big'"):
        read_new_nodes(graph, None, write("new.csv", "id,size,kind,title\ne,1,x,a\nf,big,x,a\n"))
    with pytest.raises(InputError, match="were not read from a node table"):
        read_new_nodes(graph.with_features(np.eye(4)), None, write("new.csv", "id,size\ne,1\n"))
    with pytest.raises(InputError, match="the model's graph has no attributes"):
        read_new_nodes(graph.with_features(None), None, write("new.csv", "id,size\ne,1\n"))


def test_a_matrix_serves_where_the_first_features_were_one(write: Write, tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "first.npz", sp.csr_array(np.eye(3)))
    sp.save_npz(tmp_path / "more.npz", sp.csr_array(np.arange(12.0).reshape(4, 3)))
    graph = pulink.read(write("edges.csv", "source,target\n0,1\n1,2\n"), tmp_path / "first.npz")
    new = read_new_nodes(graph, write("new.csv", "source,target\n3,1\n"), tmp_path / "more.npz")
    assert new.names == ["3"]
    assert isinstance(new.features, sp.csr_array)
    assert new.features.toarray().tolist() == [[9, 10, 11]]
