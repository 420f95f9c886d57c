"""Files of every kind of graph, with answers worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.data.absent_pairs import with_known_absent
from pulink.data.new_nodes import read_new_nodes
from pulink.errors import InputError, ParameterError
from pulink.graph.new_nodes import append_nodes
from pulink.graph.spaces.typed_pairs import TypedPairs
from tests.conftest import Write

CITED = "citing,cited\nnew,old\nnew,older\nold,older\n"
BOUGHT = "user,item\n1,1\n1,2\n2,1\n3,3\n"
EDGES = "a,b\naspirin,COX1\nibuprofen,COX2\nibuprofen,pain\naspirin,pain\n"
NODES = "id,what\naspirin,drug\nibuprofen,drug\nCOX1,protein\nCOX2,protein\npain,symptom\n"


def named(graph: pulink.Graph) -> list[tuple[str, str]]:
    return [(graph.names[i], graph.names[j]) for i, j in graph.edges.tolist()]


def types(graph: pulink.Graph) -> list[str]:
    space = graph.pair_space
    assert isinstance(space, TypedPairs)
    return [space.type_names[number] for number in space.types]


def test_citations_keep_their_direction_and_their_names(write: Write) -> None:
    graph = pulink.read(write("edges.csv", CITED))
    assert (graph.kind, graph.ends) == ("directed", ("citing", "cited"))
    assert sorted(named(graph)) == [("new", "old"), ("new", "older"), ("old", "older")]
    turned = pulink.read(write("turned.csv", CITED), source="cited", target="citing")
    assert (turned.ends, sorted(named(turned))[0]) == (("cited", "citing"), ("old", "new"))


def test_users_and_items_with_the_same_numbers_stay_apart(write: Write) -> None:
    rows = {(k % 400 + 1, k * 7 % 300 + 1) for k in range(2_400)}
    text = "user,item\n" + "".join(f"{user},{item}\n" for user, item in sorted(rows))
    graph = pulink.read(write("edges.csv", text))
    assert (graph.kind, graph.n_nodes, graph.n_edges) == ("bipartite", 700, len(rows))
    assert str(graph.cleaning) == ""
    assert graph.names[:3] == ["1", "2", "3"] and graph.names[400] == "1"
    assert types(graph) == ["user"] * 400 + ["item"] * 300
    assert set(named(graph)) == {(str(user), str(item)) for user, item in rows}


def test_sides_without_a_header_are_source_and_target(write: Write) -> None:
    graph = pulink.read(write("edges.csv", "b,a\nb,c\na,a\n"), kind="bipartite")
    assert (graph.ends, types(graph)) == (("source", "target"), ["source"] * 2 + ["target"] * 2)
    assert graph.names.series().to_list() == ["a", "b", "a", "c"]
    assert graph.edges.tolist() == [[0, 2], [1, 2], [1, 3]]


@pytest.mark.parametrize(
    "header", ["rank,probability", "=1+1,b", '"a,b",c', '"a\nb",c', f"{'x' * 200},y", "@sum,b"]
)
def test_names_that_a_list_cannot_carry_are_source_and_target(write: Write, header: str) -> None:
    graph = pulink.read(write("edges.csv", f"{header}\na,b\nb,c\n"), header=True, kind="directed")
    assert graph.ends == ("source", "target")


def test_a_node_table_of_two_sides(write: Write) -> None:
    edges = write("edges.csv", BOUGHT.replace("3,3", "3,9"))
    nodes = write("nodes.csv", "id,age\n3,50\n9,60\n77,1\n")
    graph = pulink.read(edges, nodes)
    assert graph.n_nodes == 6
    assert "their side is not known" in str(graph.cleaning)
    with pytest.raises(InputError, match=r"nodes\.csv: '1' stands in both columns of the edge list.*user, item"):
        pulink.read(edges, write("nodes.csv", "id,age\n3,50\n1,60\n"))


def test_a_node_table_that_says_the_side(write: Write) -> None:
    edges = write("edges.csv", BOUGHT)
    nodes = write("nodes.csv", "id,side,price\n1,user,1\n1,item,2\n9,item,3\n")
    graph = pulink.read(edges, nodes, node_type="side", kinds={"side": "ignore", "price": "number"})
    assert (graph.kind, graph.n_nodes) == ("bipartite", 7)
    assert graph.names.series().to_list() == ["1", "2", "3", "1", "2", "3", "9"]
    with pytest.raises(InputError, match=r"nodes\.csv, line 3: the type is 'shop'.*columns, user, item"):
        nodes = write("nodes.csv", "id,side\n1,user\n2,shop\n")
        pulink.read(edges, nodes, node_type="side", kind="bipartite")
    with pytest.raises(InputError, match="line 3: node '1' stands in the table more than once"):
        pulink.read(edges, write("nodes.csv", "id,side\n1,user\n1,user\n"), node_type="side")


def test_types_of_nodes(write: Write) -> None:
    edges, nodes = write("edges.csv", EDGES), write("nodes.csv", NODES)
    graph = pulink.read(edges, nodes, node_type="what")
    assert graph.kind == "typed" and graph.n_edges == 4
    assert graph.cleaning.kind_seen == "nodes are of 3 types, drug, protein, symptom"
    asked = pulink.read(edges, nodes, node_type="what", between=[("drug", "protein")])
    assert named(asked) == [("aspirin", "COX1"), ("ibuprofen", "COX2")]
    assert asked.n_pairs == 4
    turned = pulink.read(edges, nodes, node_type="what", between=[("protein", "drug")])
    assert named(turned)[0] == ("COX1", "aspirin")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"node_type": "type"}, "no column 'type'"),
        ({"node_type": "what", "between": [("drug", "gene")]}, "unknown type of nodes 'gene'"),
        ({"node_type": "what", "kind": "directed"}, "node_type goes with a typed or bipartite graph"),
        ({"between": [("drug", "protein")]}, "between goes with node_type"),
        ({"kind": "typed"}, "a typed graph needs node_type"),
        ({"kind": "both"}, "unknown kind of graph 'both'"),
        ({"time": "when"}, "no column 'when'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(write: Write, options: dict[str, Any], problem: str) -> None:
    with pytest.raises((InputError, ParameterError), match=problem) as refused:
        pulink.read(write("edges.csv", EDGES), write("nodes.csv", NODES), **options)
    assert "\n" not in str(refused.value)


def test_every_node_of_a_typed_graph_needs_a_type(write: Write) -> None:
    edges = write("edges.csv", EDGES)
    with pytest.raises(InputError, match=r"nodes\.csv: node 'pain' of the edge list is not in it"):
        pulink.read(edges, write("nodes.csv", NODES.replace("pain,symptom\n", "")), node_type="what")
    with pytest.raises(InputError, match=r"nodes\.csv, line 6: what is empty"):
        pulink.read(edges, write("nodes.csv", NODES.replace("pain,symptom", "pain,")), node_type="what")


def test_times_are_numbers_or_dates(write: Write) -> None:
    rows = "sender,receiver,when\na,b,{}\nb,a,{}\na,b,{}\n"
    graph = pulink.read(write("edges.csv", rows.format(5, 3.5, 1)), time="when")
    assert graph.times is not None
    assert graph.times.first.tolist() == [1.0, 3.5] and graph.times.last.tolist() == [5.0, 3.5]
    dates = "1970-01-02", "1970-01-01T00:00:10Z", "1970-01-01 01:00:00.5+01:00"
    graph = pulink.read(write("edges.csv", rows.format(*dates)), time="when")
    assert graph.times is not None
    assert graph.times.first.tolist() == [0.5, 10.0] and graph.times.last.tolist() == [86_400.0, 10.0]
    for bad in ("", "soon", "nan", "1970-13-01"):
        with pytest.raises(InputError, match=r"edges\.csv, line 3: when is"):
            pulink.read(write("edges.csv", rows.format("1970-01-02", bad, "1970-01-02")), time="when")


def test_times_of_frames() -> None:
    when = pl.Series(["1970-01-02", "1970-01-03"]).str.to_date()
    graph = pulink.from_frame(pl.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "t": when}), time="t")
    assert graph.times is not None and graph.times.first.tolist() == [86_400.0, 172_800.0]
    with pytest.raises(InputError, match="times must be numbers, or dates"):
        pulink.from_frame(pl.DataFrame({"a": ["x"], "b": ["y"], "t": [[1]]}), time="t")


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60).filter(
        lambda rows: any(i != j for i, j in rows)
    ),
    st.randoms(use_true_random=False),
    st.sampled_from(["directed", "bipartite"]),
)
@settings(max_examples=60, deadline=None)
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, int]], random: Any, kind: str) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    first, second = (
        pulink.from_frame(pl.DataFrame(order, schema=["x", "y"], orient="row"), kind=kind)
        for order in (rows, shuffled)
    )
    assert first.edges.tolist() == second.edges.tolist()
    assert first.names.series().to_list() == second.names.series().to_list()
    assert {(int(a), int(b)) for a, b in named(first)} == {
        (a, b) for a, b in rows if a != b or kind == "bipartite"
    }


GRAPHML = """<graphml><key id="t" for="node" attr.name="what"/><key id="w" for="edge" attr.name="when"/>
<graph edgedefault="{}"><node id="x"><data key="t">drug</data></node><node id="y"><data key="t">gene</data></node>
<edge source="y" target="x"><data key="w">7</data></edge></graph></graphml>"""


def test_graphml_says_its_kind(write: Write) -> None:
    graph = pulink.read(write("graph.graphml", GRAPHML.format("directed")), time="when")
    assert (graph.kind, graph.edges.tolist()) == ("directed", [[1, 0]])
    assert graph.cleaning.kind_seen == "the file says edgedefault='directed'"
    assert graph.times is not None and graph.times.first.tolist() == [7.0]
    assert pulink.read(write("graph.graphml", GRAPHML.format("directed")), kind="undirected").kind == "undirected"
    assert pulink.read(write("graph.graphml", GRAPHML.format("undirected"))).kind == "undirected"
    typed = pulink.read(write("graph.graphml", GRAPHML.format("directed")), node_type="what")
    assert (typed.kind, types(typed)) == ("typed", ["drug", "gene"])


def test_known_absent_pairs_have_a_direction(write: Write) -> None:
    graph = pulink.read(write("edges.csv", CITED))
    marked = with_known_absent(write("absent.csv", "citing,cited\nold,new\n"), graph)
    assert marked.absent is not None
    assert [(graph.names[i], graph.names[j]) for i, j in marked.absent.tolist()] == [("old", "new")]
    with pytest.raises(InputError):
        with_known_absent([("new", "old")], graph)


def test_known_absent_pairs_are_looked_up_on_their_sides(write: Write) -> None:
    graph = pulink.read(write("edges.csv", BOUGHT))
    marked = with_known_absent(write("absent.csv", "user,item\n3,1\n2,2\n8,1\n"), graph)
    assert marked.absent is not None and marked.absent.tolist() == [[1, 4], [2, 3]]
    assert "1 pair of" in str(marked.cleaning)


def test_new_nodes_of_a_directed_graph(write: Write) -> None:
    graph = pulink.read(write("edges.csv", CITED))
    new = read_new_nodes(graph, write("new.csv", "citing,cited\nnewest,new\nold,newest\n"))
    later = append_nodes(graph, new.names, new.edges)
    assert set(named(later)) - set(named(graph)) == {("newest", "new"), ("old", "newest")}
    assert later.kind == "directed"


def test_new_nodes_of_two_sides(write: Write) -> None:
    graph = pulink.read(write("edges.csv", BOUGHT))
    new = read_new_nodes(graph, write("new.csv", "user,item\n4,1\n1,4\n"))
    assert new.names == ["user:4", "item:4"]
    later = append_nodes(graph, new.names, new.edges)
    assert types(later) == ["user"] * 3 + ["item"] * 3 + ["user", "item"]
    assert later.names[6:8] == ["4", "4"]
    assert {(6, 3), (0, 7)} <= {tuple(edge) for edge in later.edges.tolist()}
    by_hand = append_nodes(graph, ["Zoe"], [("Zoe", "2")])
    assert (types(by_hand)[-1], named(by_hand)[-1]) == ("user", ("Zoe", "2"))
    with pytest.raises(InputError, match="nothing tells the type of the new node 'Zoe': write type:name"):
        append_nodes(graph, ["Zoe"], [])
    with pytest.raises(InputError, match="'1' is a node already"):
        append_nodes(graph, ["user:1"], [("1", "3")])


def test_new_nodes_of_a_timed_graph_came_last(write: Write) -> None:
    graph = pulink.read(write("edges.csv", "sender,receiver,t\na,b,1\nb,c,9\na,b,4\n"), time="t")
    later = append_nodes(graph, ["d"], [("d", "a")])
    assert later.times is not None and later.times.last.tolist() == [4.0, 9.0, 9.0]
    assert later.times.first.tolist() == [1.0, 9.0, 9.0]


def test_new_nodes_of_types(write: Write) -> None:
    graph = pulink.read(write("edges.csv", EDGES), write("nodes.csv", NODES), node_type="what")
    later = append_nodes(graph, ["codeine"], [("codeine", "pain")])
    assert types(later)[-1] == "drug"
    with pytest.raises(InputError, match="edges tell more than one"):
        append_nodes(graph, ["ache"], [("aspirin", "ache")])
    assert types(append_nodes(graph, ["symptom:ache"], [("aspirin", "ache")]))[-1] == "symptom"


@pytest.mark.parametrize(
    ("name", "kind", "ends"),
    [
        ("debian_dependencies", "directed", ("package", "dependency")),
        ("openflights", "directed", ("origin", "destination")),
        ("email_eu_core", "directed", ("sender", "recipient")),
        ("college_msg", "directed", ("sender", "recipient")),
        ("flavor_bipartite", "bipartite", ("ingredient", "compound")),
    ],
)
def test_datasets_of_other_kinds(name: str, kind: str, ends: tuple[str, str]) -> None:
    entry = pulink.datasets()[name]
    if not entry.available:
        pytest.skip(f"{name} is not on this machine")
    graph = pulink.load(name)
    assert (graph.kind, graph.ends, graph.cleaning.kind_seen) == (kind, ends, None)
    assert (graph.n_nodes, graph.n_edges, graph.n_features) == (entry.nodes, entry.edges, entry.features or 0)
    assert (graph.weights is not None, graph.times is not None) == (name == "openflights", name == "college_msg")
    if kind == "bipartite":
        assert types(graph).count("ingredient") == 1_530


def test_the_datasets_of_the_paper_stay_undirected() -> None:
    others = {"debian_dependencies", "openflights", "email_eu_core", "college_msg", "flavor_bipartite"}
    assert {name for name, entry in pulink.datasets().items() if entry.kind != "undirected"} == others


def test_files_of_arrays_tell_directions(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    import numpy as np

    rows = np.array([[i, (i + step) % 20] for i in range(20) for step in (1, 2, 3, 19)])
    np.savez(path, num_nodes=np.array(20), edge_index=rows.T)
    graph = pulink.read(path)
    assert (graph.kind, graph.cleaning.kind_seen) == ("directed", "40 of 80 rows have their reverse")
    assert pulink.read(path, kind="undirected").kind == "undirected"
