"""JSON lines, lists and whole graphs in JSON: good, broken and hostile."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pulink
from pulink.errors import ParameterError
from tests.conftest import Write
from tests.support.edges_of import edges_of
from tests.support.hostile import refused


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_objects_with_telling_keys(write: Write) -> None:
    text = lines({"from": 1, "to": "2", "weight": 0.5}, {"to": 10, "from": 2, "weight": 3})
    graph = pulink.read(write("e.jsonl", "\ufeff\n" + text))
    assert edges_of(graph) == [("1", "2"), ("2", "10")]
    assert graph.weights is not None
    assert graph.weights.tolist() == [0.5, 3.0]


def test_a_list_under_a_key_is_an_edge_per_element(write: Write) -> None:
    path = write(
        "e.ndjson", lines({"id": "a", "references": ["b", "c"]}, {"id": "b", "references": []}, {"id": "c"})
    )
    graph = pulink.read(path)
    assert edges_of(graph) == [("a", "b"), ("a", "c")]
    assert "2 objects without id or references left out" in str(graph.cleaning)


def test_nested_keys_and_lists_on_the_way(write: Write) -> None:
    path = write(
        "e.jsonl",
        lines(
            {"user": {"name": "ann"}, "said": {"to": [{"name": "bob"}, {"name": "cid"}]}, "when": "2024-01-01"},
            {"user": {"name": "bob"}, "said": {"to": [{"name": "cid"}]}, "when": "2024-01-02"},
        ),
    )
    graph = pulink.read(path, source="user.name", target="said.to.name", time="when", kind="directed")
    assert edges_of(graph) == [("ann", "bob"), ("ann", "cid"), ("bob", "cid")]
    assert graph.times is not None


@pytest.mark.parametrize("text", ['[["a", "b"], ["b", "c"]]', '["a", "b"]\n["b", "c"]\n'])
def test_pairs(write: Write, text: str) -> None:
    assert edges_of(pulink.read(write("e.json" if "[[" in text else "e.jsonl", text))) == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"meta": {"n": 2}, "results": rows}])
def test_a_list_of_objects_by_itself_or_under_the_only_key_that_has_one(write: Write, wrap: Any) -> None:
    rows = [{"source": "a", "target": "b"}, {"source": "b", "target": "c"}]
    assert edges_of(pulink.read(write("e.json", json.dumps(wrap(rows), indent=2)))) == [("a", "b"), ("b", "c")]


def test_lines_in_a_file_that_is_called_json(write: Write) -> None:
    assert edges_of(pulink.read(write("e.json", lines({"u": "a", "v": "b"}, {"u": "b", "v": "c"})))) == [
        ("a", "b"),
        ("b", "c"),
    ]


def test_a_node_table_in_json_lines(write: Write) -> None:
    nodes = write("nodes.jsonl", lines({"id": "a", "age": 3}, {"id": "b", "age": 4}))
    graph = pulink.read(write("edges.csv", "source,target\na,b\n"), nodes)
    assert graph.feature_names == ("age",)


def test_keys_that_nobody_knows(write: Write) -> None:
    path = write("e.jsonl", lines({"p": 1, "q": 2, "r": 3}))
    with pytest.raises(ParameterError, match=r"\(--source KEY --target KEY\); its keys are p, q, r"):
        pulink.read(path)
    with pytest.raises(ParameterError, match=r"nothing stands under the key 'qq'; did you mean 'q'\?"):
        pulink.read(path, source="p", target="qq")
    with pytest.raises(ParameterError, match="source and target are both 'p'"):
        pulink.read(path, source="p", target="p")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"source": 1, "target": 2}\n{"source": 1,\n', "line 2: not JSON"),
        ('{"source": 1, "target": 2}\n3\n', "line 2: 3; an object or a pair is needed"),
        ('{"source": 1, "target": 2}\n[1, 2]\n', "line 2: objects and lists are mixed"),
        ('{"source": 1, "target": 2.5}\n', "line 1: target is 2.5; ids must be text or whole numbers"),
        ('{"source": 1, "target": true}\n', "line 1: target is True; ids must be"),
        ('{"source": "a", "target": ""}\n', "line 1: target is empty"),
        ('{"source": ["a", "b"], "target": ["c", "d"]}\n', "are both lists"),
        ('{"source": "\\ud800", "target": "b"}\n', "half of a letter"),
        ("[" * 100_000, "too deep inside one another"),
        ('{"source": 1' + "0" * 5_000 + ', "target": 2}', "not JSON that can be read"),
        ("[1]\n", "a pair of nodes is needed"),
        ("[1, 2]\n[1, 2, 3]\n", "line 2: 3 values where others have 2"),
        ("\n", "holds no object, so no edges"),
        (b'{"source": "\xff", "target": "b"}\n', "line 1: not UTF-8"),
    ],
)
def test_broken_lines_are_named(write: Write, text: str | bytes, message: str) -> None:
    refused(message, write("e.jsonl", text))


def test_the_key_of_an_object_is_asked_for(write: Write) -> None:
    path = write("e.jsonl", lines({"user": {"id": 1}, "to": 2}))
    refused(r"name a key of it, such as user.id", path, source="user", target="to")


def test_many_keys_on_few_objects_each_are_no_bomb(write: Write) -> None:
    objects = ({"source": str(n), "target": "x", **{f"k{n}_{m}": 1 for m in range(5)}} for n in range(1_000))
    refused("keys of which nearly all are missing|columns; at most", write("e.jsonl", lines(*objects)))


GOOD = {
    "directed": True,
    "nodes": [{"id": "a", "age": 3}, {"id": "b", "age": 4}],
    "links": [{"source": "a", "target": "b"}],
}


def test_a_whole_graph_says_its_kind_and_has_a_node_table(write: Write) -> None:
    graph = pulink.read(write("g.json", json.dumps(GOOD)))
    assert (graph.kind, edges_of(graph), graph.feature_names) == ("directed", [("a", "b")], ("age",))
    assert graph.cleaning.kind_seen == 'the file says "directed": true'
    with pytest.raises(ParameterError, match="source goes with a table of edges"):
        pulink.read(write("g.json", json.dumps(GOOD)), source="source")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"links": [{"source": "a"}]}, "element 1: the link has no source and target"),
        ({"links": [3]}, "element 1: the link is 3"),
        ({"links": [{"source": "a", "target": None}]}, "element 1: the target of the link is None"),
        ({"nodes": [{"age": 1}]}, "element 1: the id of a node is missing"),
        ({"nodes": [{"id": 1}, {"id": "1"}]}, "element 2: a second node is called '1'"),
        ({"nodes": 3, "links": 4}, "an object with nodes and links, is needed"),
    ],
)
def test_broken_graphs_are_named(write: Write, change: dict[str, Any], message: str) -> None:
    refused(message, write("g.json", json.dumps(GOOD | change)))


def test_text_that_is_no_graph(write: Write) -> None:
    refused("line 2: not JSON", write("g.json", '{"a": 1,\n b}'))
    refused("holds 3; a list of objects", write("g.json", "3"))
