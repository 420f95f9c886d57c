"""GraphML: what is read, what is refused, and the line that is to blame."""

from __future__ import annotations

import networkx as nx
import pytest

import pulink
from pulink.errors import InputError
from tests.conftest import Write

KEYS = (
    '<key id="d0" for="node" attr.name="size" attr.type="int"><default>5</default></key>\n'
    '<key id="d1" for="edge" attr.name="weight" attr.type="double"/>\n'
)
WHOLE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrafting.org/xmlns">\n'
    + KEYS
    + '<graph edgedefault="directed">\n'
    '<node id="Zürich"><data key="d0">1</data></node><node id="lone"><data key="d0">9</data></node>'
    '<node id="b"/>\n'
    '<edge source="Zürich" target="b"><data key="d1">2.5</data></edge>\n'
    '<edge source="b" target="c"/>\n'
    "</graph></graphml>"
)


def test_nodes_edges_weights_attributes_and_defaults(write: Write) -> None:
    graph = pulink.read(write("g.graphml", WHOLE))
    assert graph.names.series().to_list() == ["Zürich", "b", "c", "lone"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.5, 1.0]
    assert graph.features is not None
    sizes = graph.features.toarray()
    assert graph.feature_names == ("size", "size is missing")
    assert sizes[:, 1].tolist() == [0, 0, 1, 0]
    assert sizes[1, 0] == pytest.approx(0)


def test_what_networkx_writes_is_read(write: Write) -> None:
    source = nx.Graph([("x", "y"), ("y", "z")])
    nx.set_node_attributes(source, {"x": "red", "y": "blue", "z": "red"}, "colour")
    graph = pulink.read(write("g.graphml", "\n".join(nx.generate_graphml(source))))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.feature_names == ("colour=blue", "colour=red")


def test_another_edge_attribute_can_be_the_weight(write: Write) -> None:
    path = write("g.graphml", WHOLE.replace('"weight"', '"strength"'))
    assert pulink.read(path).weights is None
    assert pulink.read(path, weight="strength").weights is not None
    with pytest.raises(InputError, match="no edge has an attribute 'weight'"):
        pulink.read(path, weight="weight")


def test_a_node_table_takes_the_place_of_attributes(write: Write) -> None:
    graph = pulink.read(write("g.graphml", WHOLE), write("n.csv", "id,hue\nb,1\nc,2\n"))
    assert graph.feature_names == ("hue", "hue is missing")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<!DOCTYPE x [\n<!ENTITY a "bbb">]>\n<graphml/>', ", line 2: declares an XML entity"),
        ("<graphml>\n<graph>\n<node id='a'>\n</graph></graphml>", ", line 4: not well-formed XML .mismatched tag"),
        ("<graphml>\n<graph>", ", line 2: not well-formed XML .no element found"),
        ("", ", line 1: not well-formed XML"),
        ("a,b\n", ", line 1: not well-formed XML"),
        ("<html></html>", ": holds no <graph> element"),
        ("<graphml><graph>\n<edge target='a'/></graph></graphml>", ", line 2: <edge> has no source"),
        ("<graphml><graph>\n\n<node/></graph></graphml>", ", line 3: <node> has no id"),
        ("<graphml>\n<key for='node'/><graph/></graphml>", ", line 2: <key> has no id"),
        ('<?xml version="1.0" encoding="klingon"?><graphml/>', ", line 1: unknown encoding"),
        (WHOLE.replace("2.5", "heavy"), ", line 7: weight is 'heavy'; weights must be positive"),
        (WHOLE.replace("2.5", "-1"), ", line 7: weight is '-1'; weights must be positive"),
    ],
)
def test_what_cannot_be_read_names_its_line(write: Write, content: str, message: str) -> None:
    path = write("g.graphml", content)
    with pytest.raises(InputError, match=message) as caught:
        pulink.read(path)
    assert str(caught.value).startswith(str(path))
