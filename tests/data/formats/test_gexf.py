"""GEXF: what Gephi and NetworkX write, and what may not be in a file."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

import pulink
from tests.conftest import Write
from tests.support.edges_of import edges_of
from tests.support.hostile import refused

TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3"><graph defaultedgetype="{}">
<attributes class="node"><attribute id="0" title="age" type="integer"/>
<attribute id="1" title="town" type="string"><default>Ulm</default></attribute></attributes>
<nodes><node id="n0" label="Ada"><attvalues><attvalue for="0" value="30"/></attvalues><viz:size value="3"/></node>
<node id="n1" label="Bob"><attvalues><attvalue for="0" value="40"/>
<attvalue for="1" value="Bern"/></attvalues></node>
<node id="n2" label="Cleo"/></nodes>
<edges><edge id="0" source="n1" target="n0" weight="2.5" start="2024-01-01"/>
<edge id="1" source="n1" target="n2" start="2024-01-02"{}/></edges></graph></gexf>
"""


def test_labels_attributes_weights_times_and_direction(write: Write) -> None:
    graph = pulink.read(write("g.gexf", TEXT.format("directed", "")), time="start")
    assert edges_of(graph) == [("Bob", "Ada"), ("Bob", "Cleo")]
    assert (graph.kind, graph.cleaning.kind_seen) == ("directed", "the file says defaultedgetype='directed'")
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.5, 1.0]
    assert graph.times is not None
    assert "nodes are called by their label, not by their id" in str(graph.cleaning)
    assert graph.feature_names is not None
    assert {name.partition(" ")[0].partition("=")[0] for name in graph.feature_names} == {"age", "town"}
    assert pulink.read(write("g.gexf", TEXT.format("undirected", ""))).kind == "undirected"


def test_edges_of_both_sorts_are_asked_about(write: Write) -> None:
    path = write("g.gexf", TEXT.format("directed", ' type="undirected"'))
    refused(r"\(--directed, --undirected\)", path)
    assert pulink.read(path, kind="undirected").n_edges == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE g [<!ENTITY x "y">]><gexf/>', "declares an XML entity"),
        ('<!DOCTYPE g SYSTEM "http://x/y.dtd"><gexf><graph>&x;</graph></gexf>', "entities are not allowed"),
        ("<gexf>" + "<a>" * 2_000, "more than 1,000 elements inside one another"),
        ("<gexf><graph>", "not well-formed XML"),
        ("<gexf/>", "holds no <graph> element"),
        ("<gexf><graph><nodes><node/></nodes></graph></gexf>", "line 1: <node> has no id"),
        ('<gexf><graph><edges><edge source="a"/></edges></graph></gexf>', "<edge> has no target"),
    ],
)
def test_what_is_broken_or_hostile_is_named(write: Write, text: str, message: str) -> None:
    refused(message, write("g.gexf", text))


def test_what_networkx_writes_is_read_alike(tmp_path: Path) -> None:
    made = nx.karate_club_graph()
    nx.write_gexf(made, tmp_path / "g.gexf")
    found = pulink.read(tmp_path / "g.gexf")
    assert edges_of(found) == edges_of(pulink.from_networkx(made))
    assert found.weights is not None
