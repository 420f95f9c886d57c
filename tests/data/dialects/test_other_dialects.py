"""Files as other programs write them, each read right or refused in one line that says what to type."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import networkx as nx
import pandas as pd
import polars as pl
import pytest

import pulink
from pulink.errors import InputError, ParameterError
from tests.conftest import Write
from tests.support.edges_of import edges_of


def database(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def test_firefox_history_by_a_join(tmp_path: Path) -> None:
    path = database(
        tmp_path / "places.sqlite",
        """
        pragma journal_mode = wal;
        create table moz_places (id integer primary key, url text, guid text);
        create table moz_historyvisits (id integer primary key, from_visit integer, place_id integer, at integer);
        insert into moz_places values (1, 'https://a.org/', 'g1'), (2, 'https://b.org/', 'g2');
        insert into moz_places values (3, 'https://c.org/', 'g3');
        insert into moz_historyvisits values (10, 0, 1, 1), (11, 10, 2, 2), (12, 11, 3, 3);
        """,
    )
    with pytest.raises(ParameterError, match=r"holds 2 tables \(moz_places, moz_historyvisits\); say which one"):
        pulink.read(path)
    sql = """
        select one.url source, other.url target from moz_historyvisits v join moz_historyvisits earlier
        on v.from_visit = earlier.id join moz_places one on one.id = earlier.place_id
        join moz_places other on other.id = v.place_id
    """
    graph = pulink.read(path, sql=sql, kind="directed")
    assert edges_of(graph) == [("https://a.org/", "https://b.org/"), ("https://b.org/", "https://c.org/")]
    assert [one.name for one in tmp_path.iterdir()] == ["places.sqlite"]


def test_zotero_items_and_tags(tmp_path: Path) -> None:
    path = database(
        tmp_path / "zotero.sqlite",
        """
        create table items (itemID integer primary key, key text);
        create table tags (tagID integer primary key, name text);
        create table itemTags (itemID int, tagID int, type int);
        insert into items values (1, 'ABCD'), (2, 'EFGH');
        insert into tags values (7, 'graphs'), (8, 'birds');
        insert into itemTags values (1, 7, 0), (2, 7, 0), (2, 8, 0);
        """,
    )
    graph = pulink.read(path, table="itemTags", kind="bipartite")
    assert edges_of(graph) == [("1", "7"), ("2", "7"), ("2", "8")]
    sql = "select key item, name tag from itemTags join items using (itemID) join tags using (tagID)"
    assert edges_of(pulink.read(path, sql=sql, kind="bipartite")) == [
        ("ABCD", "graphs"), ("EFGH", "birds"), ("EFGH", "graphs"),
    ]  # fmt: skip


def test_openalex_works(write: Write) -> None:
    works = [
        {"id": f"https://openalex.org/W{n}", "doi": f"10.1/{n}", "title": f"t{n}", "cited_by_count": 3,
         "authorships": [{"author": {"id": "A1"}}], "related_works": ["https://openalex.org/W99"],
         "referenced_works": [f"https://openalex.org/W{m}" for m in cited],
         "abstract_inverted_index": {f"w{k}": [k] for k in range(200)}}
        for n, cited in ((1, [2, 3]), (2, [3]), (3, []))
    ]  # fmt: skip
    graph = pulink.read(write("works.jsonl", "\n".join(map(json.dumps, works))), kind="directed")
    short = [(one.rpartition("/")[2], other.rpartition("/")[2]) for one, other in edges_of(graph)]
    assert short == [("W1", "W2"), ("W1", "W3"), ("W2", "W3")]
    assert "1 object without id or referenced_works left out" in str(graph.cleaning)
    told = pulink.read(write("works.jsonl", "\n".join(map(json.dumps, works))))
    assert (told.kind, told.cleaning.kind_seen) == ("directed", "each object lists its referenced_works")
    page = write("page.json", json.dumps({"meta": {"count": 3}, "results": works, "group_by": []}))
    assert edges_of(pulink.read(page, kind="directed")) == edges_of(graph)


def test_tweets_that_mention(write: Write) -> None:
    tweets = [
        {
            "id": 1,
            "text": "hi",
            "user": {"screen_name": "ann"},
            "entities": {"user_mentions": [{"screen_name": "bob"}]},
        },
        {"id": 2, "text": "ho", "user": {"screen_name": "bob"}, "entities": {"user_mentions": []}},
    ]
    path = write("tweets.jsonl", "\n".join(map(json.dumps, tweets)))
    with pytest.raises(ParameterError, match="--source KEY --target KEY"):
        pulink.read(path)
    graph = pulink.read(
        path, source="user.screen_name", target="entities.user_mentions.screen_name", kind="directed"
    )
    assert edges_of(graph) == [("ann", "bob")]


def test_d3_by_ids_and_in_the_old_way_by_places(write: Write) -> None:
    new = {
        "nodes": [{"id": "Myriel", "group": 1}, {"id": "Napoleon", "group": 1}],
        "links": [{"source": "Napoleon", "target": "Myriel", "value": 1}],
    }
    old = {
        "nodes": [{"name": "Myriel", "group": 1}, {"name": "Napoleon", "group": 1}],
        "links": [{"source": 1, "target": 0, "value": 1}],
    }
    for document in (new, old):
        assert edges_of(pulink.read(write("miserables.json", json.dumps(document)))) == [("Myriel", "Napoleon")]
    assert "numbers of edges ignored: value (as weights: --weight value" in str(
        pulink.read(write("m.json", json.dumps(new))).cleaning
    )
    assert pulink.read(write("m.json", json.dumps(new)), weight="value").weights is not None


def test_node_link_of_networkx_and_vis_js(write: Write) -> None:
    made = nx.DiGraph([("a", "b"), ("c", "b")])
    graph = pulink.read(write("g.json", json.dumps(nx.node_link_data(made))))
    assert (graph.kind, edges_of(graph)) == ("directed", [("a", "b"), ("c", "b")])
    vis = {"nodes": [{"id": 1, "label": "Ada"}, {"id": 2, "label": "Bob"}], "edges": [{"from": 2, "to": 1}]}
    assert edges_of(pulink.read(write("v.json", json.dumps(vis)))) == [("Ada", "Bob")]


def test_cytoscape_desktop_and_its_flat_list(write: Write) -> None:
    nodes = [{"data": {"id": "62", "name": "YKR026C"}}, {"data": {"id": "63", "name": "YGL122C"}}]
    edges = [{"data": {"id": "99", "source": "62", "target": "63", "interaction": "pp"}}]
    desktop = {"format_version": "1.0", "data": {"name": "yeast"}, "elements": {"nodes": nodes, "edges": edges}}
    for document in (desktop, {"elements": nodes + edges}, nodes + edges):
        assert edges_of(pulink.read(write("yeast.cyjs", json.dumps(document)))) == [("YGL122C", "YKR026C")]


def test_neo4j_apoc_lines(write: Write) -> None:
    text = """
{"type":"node","id":"0","labels":["User"],"properties":{"name":"Adam","age":42}}
{"type":"node","id":"1","labels":["User"],"properties":{"name":"Jim","age":44}}
{"id":"0","type":"relationship","label":"KNOWS","properties":{"since":1993},"start":{"id":"1","labels":["User"]},"end":{"id":"0","labels":["User"]}}
"""
    graph = pulink.read(write("all.json", text.lstrip()))
    assert (graph.kind, edges_of(graph), graph.feature_names) == ("directed", [("Jim", "Adam")], ("age",))


def test_gephi_gexf_of_version_1_2(write: Write) -> None:
    text = """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><meta><creator>Gephi 0.9</creator></meta>
    <graph defaultedgetype="undirected" idtype="string" mode="static"><nodes count="2">
    <node id="11.0" label="Valjean"/><node id="0.0" label="Myriel"/></nodes><edges count="1">
    <edge id="0" source="11.0" target="0.0" weight="5.0"/></edges></graph></gexf>"""
    graph = pulink.read(write("LesMiserables.gexf", text))
    assert edges_of(graph) == [("Myriel", "Valjean")]
    assert graph.weights is not None
    assert graph.weights.tolist() == [5.0]


def test_gml_of_newmans_site(write: Write) -> None:
    text = """Creator "Mark Newman on Wed Jul 26 15:04:20 2006"
graph
[
  directed 0
  node
  [
    id 0
    label "Beak"
  ]
  node
  [
    id 1
    label "Beescratch"
  ]
  edge
  [
    source 1
    target 0
  ]
]
"""
    graph = pulink.read(write("dolphins.gml", text))
    assert (graph.kind, edges_of(graph)) == ("undirected", [("Beak", "Beescratch")])


def test_gml_of_networkx_and_igraph(tmp_path: Path) -> None:
    import igraph

    nx.write_gml(nx.Graph([("x", "y")]), tmp_path / "n.gml")
    igraph.Graph.TupleList([("x", "y")]).write_gml(str(tmp_path / "i.gml"))
    for name in ("n.gml", "i.gml"):
        assert edges_of(pulink.read(tmp_path / name)) == [("x", "y")]


def test_a_folder_that_spark_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "citations.parquet"
    folder.mkdir()
    for number, rows in enumerate(([(1, 2)], [], [(2, 3)])):
        frame = pl.DataFrame(rows, schema={"citing": pl.Int64, "cited": pl.Int64}, orient="row")
        frame.write_parquet(folder / f"part-0000{number}-7f2e-c000.snappy.parquet", compression="snappy")
        (folder / f".part-0000{number}-7f2e-c000.snappy.parquet.crc").write_bytes(b"crc")
    (folder / "_SUCCESS").write_bytes(b"")
    graph = pulink.read(folder)
    assert (graph.kind, graph.ends, edges_of(graph)) == ("directed", ("citing", "cited"), [("1", "2"), ("2", "3")])


def test_feather_of_pandas(tmp_path: Path) -> None:
    pd.DataFrame({"user": ["u1", "u2"], "item": ["i1", "i1"]}).to_feather(tmp_path / "likes.feather")
    graph = pulink.read(tmp_path / "likes.feather")
    assert (graph.kind, edges_of(graph)) == ("bipartite", [("u1", "i1"), ("u2", "i1")])


def test_edge_lists_of_networkx(tmp_path: Path) -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=7, x="1, 2", tags=[1, 2])
    graph.add_edge("b", "c", weight=2.5, x="it's {}")
    nx.write_edgelist(graph, tmp_path / "g.edgelist")
    read = pulink.read(tmp_path / "g.edgelist")
    assert edges_of(read) == [("a", "b"), ("b", "c")]
    assert read.weights is not None
    assert read.weights.tolist() == [7, 2.5]
    assert read.cleaning.notes == ("columns ignored: x",)
    nx.write_edgelist(nx.path_graph(3), tmp_path / "bare.edgelist")
    assert edges_of(pulink.read(tmp_path / "bare.edgelist")) == [("0", "1"), ("1", "2")]


def test_a_broken_line_of_such_a_list_is_named(write: Write) -> None:
    rows = "".join(f"{k} {k + 1} {{'weight': 1, 'x': 2}}\n" for k in range(60))
    with pytest.raises(InputError, match=r"line 61: others hold two nodes and \{\.\.\.\}"):
        pulink.read(write("g.txt", f"{rows}New York 7 {{}}\n"))


def test_apoc_csv_with_rows_of_nodes(write: Write) -> None:
    head = "_id,_labels,name,_start,_end,_type\n0,:P,Ann,,,\n1,:P,Bob,,,\n"
    graph = pulink.read(write("all.csv", f"{head},,,1,0,KNOWS\n,,,2,1,KNOWS\n"))
    assert (graph.kind, edges_of(graph)) == ("directed", [("1", "0"), ("2", "1")])
    assert graph.cleaning.notes[0] == "2 rows of nodes left out; nodes are called by their _id"
    with pytest.raises(InputError, match="line 5: _end is empty"):
        pulink.read(write("all.csv", f"{head},,,1,0,KNOWS\n,,,2,,KNOWS\n"))


def test_primekg(write: Write) -> None:
    names = "relation,display_relation,x_index,x_id,x_type,x_name,y_index,y_id,y_type,y_name"
    rows = (
        "protein_protein,ppi,0,9796,gene,PHYHIP,8889,56992,gene,KIF15\nx,y,1,7918,gene,GPANK1,0,9796,gene,PHYHIP\n"
    )
    graph = pulink.read(write("kg.csv", f"{names}\n{rows}"))
    assert edges_of(graph) == [("0", "1"), ("0", "8889")]
    assert graph.cleaning.notes[0].startswith("edges are between x_index and y_index (--source and --target name")
    coordinates = write("places.csv", "x,y,a,b\n1,2,p,q\n3,4,q,r\n")
    assert edges_of(pulink.read(coordinates)) == [("p", "q"), ("q", "r")]


def test_a_stream_of_arrow(tmp_path: Path) -> None:
    pl.DataFrame({"source": ["a"], "target": ["b"]}).write_ipc_stream(tmp_path / "edges.arrows")
    assert edges_of(pulink.read(tmp_path / "edges.arrows")) == [("a", "b")]
