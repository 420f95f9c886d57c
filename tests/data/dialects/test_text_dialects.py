"""Files as well-known sources and programs write them: read right, or refused in a line that says what to type."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import pulink
from pulink.errors import PulinkError
from pulink.graph.graph import Graph
from tests.conftest import Write


class Dialect(NamedTuple):
    """A file and how it is read.

    links    the edges by their names, in the order of the graph
    told     all that its reader is told
    """

    file: str
    content: str | bytes
    links: list[tuple[str, str]]
    settings: dict[str, Any] = {}  # noqa: RUF012
    weights: list[float] | None = None
    kind: str = "undirected"
    told: str = ""


def links_of(graph: Graph) -> list[tuple[str, str]]:
    return [(graph.names[a], graph.names[b]) for a, b in graph.edges.tolist()]


STRING = "protein1 protein2 combined_score\n9606.ENSP01 9606.ENSP02 173\n9606.ENSP01 9606.ENSP03 900\n"
STRING_FULL = (
    "protein1 protein2 neighborhood experimental textmining combined_score\n"
    "9606.ENSP01 9606.ENSP02 0 62 128 173\n9606.ENSP01 9606.ENSP03 0 0 900 900\n"
)
STRING_LINKS = [("9606.ENSP01", "9606.ENSP02"), ("9606.ENSP01", "9606.ENSP03")]
LOOKS = "(combined_score looks like weights: --weight combined_score, in Python weight='combined_score')"
SNAP = "# Directed graph: x.txt\n# Nodes: 4 Edges: 3\n# FromNodeId\tToNodeId\n0\t1\n0\t2\n5\t1\n"
BIOGRID = (
    "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\tOfficial Symbol Interactor A\t"
    "Official Symbol Interactor B\tScore\n103\t6416\t2318\tMAP2K4\tFLNC\t-\n117\t84665\t88\tMYPN\tACTN2\t-\n"
)
MITAB = (
    "#ID(s) interactor A\tID(s) interactor B\tAlt. ID(s) interactor A\tTaxid interactor A\tTaxid interactor B\n"
    "uniprotkb:P49418\tuniprotkb:O43426\tintact:EBI-1|x\ttaxid:9606\ttaxid:9606\n"
    "uniprotkb:P49418\tuniprotkb:Q05193\tintact:EBI-2\ttaxid:9606\ttaxid:9606\n"
)
GEPHI = "Source,Target,Type,Id,Label,timeset,Weight\nn2,n1,{0},0,,,1.0\nn2,n3,{0},1,,,2.5\nn3,n4,{0},2,,,1\n"
ABC = [("a", "b"), ("b", "c")]
NAMED = "the first line, {}, was read as names of columns; --no-header (header=False) if it is an edge"
RATED = (
    "columns ignored: column_3, column_4; the last two columns look like ratings and times; --bipartite "
    '(kind="bipartite") if the first two hold different things, such as users and items'
)

READ = [
    Dialect("9606.protein.links.txt", STRING, STRING_LINKS, told=f"columns ignored: combined_score {LOOKS}"),
    Dialect("links.txt", STRING, STRING_LINKS, {"weight": "combined_score"}, [173, 900]),
    Dialect(
        "9606.protein.links.full.txt",
        STRING_FULL,
        STRING_LINKS,
        told=f"columns ignored: neighborhood, experimental, textmining, combined_score {LOOKS}",
    ),
    Dialect("snap.txt", SNAP, [("0", "1"), ("0", "2"), ("5", "1")], kind="directed"),
    Dialect(
        "snap.txt",
        f"{SNAP}1\t0\n2\t0\n1\t5\n",
        [("0", "1"), ("0", "2"), ("1", "5")],
        told="3 reversed duplicates merged",
    ),
    Dialect("snap.txt", SNAP.replace("Directed", "Undirected"), [("0", "1"), ("0", "2"), ("1", "5")]),
    Dialect("trade.csv", "Importer,Exporter\nFR,DE\nIT,FR\n", [("DE", "FR"), ("FR", "IT")], kind="directed"),
    Dialect(
        "snap.txt",
        SNAP,
        [("0", "1"), ("0", "2"), ("5", "1")],
        {"source": "FromNodeId", "target": "ToNodeId", "kind": "directed"},
        kind="directed",
    ),
    Dialect(
        "soc-sign-bitcoinotc.csv",
        "6,2,4,1289241911.72836\n6,5,2,1289241941.53378\n1,15,-1,1289243140.39049\n",
        [("1", "15"), ("2", "6"), ("5", "6")],
        told="columns ignored: column_3, column_4",
    ),
    Dialect(
        "out.net",
        "% asym unweighted\n% 3 4 4\n1 2 \n1 3 \n4 1\n",
        [("1", "2"), ("1", "3"), ("4", "1")],
        kind="directed",
    ),
    Dialect(
        "out.weighted",
        "% sym posweighted\n% 3 4 4\n1 2 1.5 1082040961\n1 3 2 1082155839\n4 1\t1 1082155839\n",
        [("1", "2"), ("1", "3"), ("1", "4")],
        {"weight": "column_3", "time": "column_4"},
        [1.5, 2, 1],
    ),
    Dialect(
        "out.bip", "% bip unweighted\n1 1\n1 2\n2 2\n", [("1", "1"), ("1", "2"), ("2", "2")], kind="bipartite"
    ),
    Dialect(
        "ratings.csv",
        "userId,movieId,rating,timestamp\n1,1,4.0,964982703\n1,3,4.0,964981247\n2,3,5.0,964981247\n",
        [("1", "1"), ("1", "3"), ("2", "3")],
        kind="bipartite",
        told="columns ignored: rating, timestamp (rating looks like weights: --weight rating, in Python "
        "weight='rating')",
    ),
    Dialect(
        "u.data", "196\t242\t3\t881250949\n186\t302\t4\t891717742\n", [("186", "302"), ("196", "242")], told=RATED
    ),
    Dialect(
        "ratings.dat",
        "1::1193::5::978300760\n1::661::3::978302109\n2::661::4::978302109\n",
        [("1", "661"), ("1", "1193"), ("2", "661")],
        {"kind": "bipartite"},
        kind="bipartite",
        told="columns ignored: column_3, column_4",
    ),
    Dialect(
        "excel.csv",
        "Source;Target;Weight\r\na;b;1.234,5\r\nb;c;2,25\r\n",
        ABC,
        weights=[1234.5, 2.25],
        told="numbers of Weight are read as '1.234,5' = 1234.5",
    ),
    Dialect("excel.csv", "sep=;\r\na;b\r\nb;c\r\n", ABC),
    Dialect("unicode text.txt", "Source\tTarget\r\nÄ\tÖ\r\n".encode("utf-16"), [("Ä", "Ö")]),
    Dialect(
        "windows.csv", "Source;Target\r\nMüller;b\r\n".encode("cp1252"), [("Müller", "b")], {"encoding": "cp1252"}
    ),
    Dialect("bom.csv", b"\xef\xbb\xbfSource,Target\r\na,b\r\nb,c\r\n", ABC),
    Dialect(
        "gephi.csv",
        GEPHI.format("Undirected"),
        [("n1", "n2"), ("n2", "n3"), ("n3", "n4")],
        weights=[1, 2.5, 1],
        told="columns ignored: Id, Label, timeset",
    ),
    Dialect(
        "gephi.csv",
        GEPHI.format("Directed"),
        [("n2", "n1"), ("n2", "n3"), ("n3", "n4")],
        weights=[1, 2.5, 1],
        kind="directed",
        told="columns ignored: Id, Label, timeset",
    ),
    Dialect(
        "neo4j.csv",
        ":START_ID(Person),role,:END_ID(Movie),:TYPE\n1,Neo,1,ACTED_IN\n1,Neo,2,ACTED_IN\n2,Morpheus,1,ACTED_IN\n",
        [("1", "1"), ("1", "2"), ("2", "1")],
        kind="bipartite",
        told="columns ignored: role, :TYPE",
    ),
    Dialect("export.csv", 'n.name,m.name\n"a","b"\n"b","c"\n', ABC, told=NAMED.format("n.name - m.name")),
    Dialect(
        "export.csv",
        'n,m\n"{""name"":""Ada"",""born"":1815}","{""name"":""Bob""}"\n',
        [('{"name":"Ada","born":1815}', '{"name":"Bob"}')],
        {"source": "n", "target": "m"},
    ),
    Dialect(
        "BIOGRID-ALL.tab3.txt",
        BIOGRID,
        [("88", "84665"), ("2318", "6416")],
        told="edges are between Entrez Gene Interactor A and Entrez Gene Interactor B (--source and --target name "
        "others); columns ignored: BioGRID Interaction ID, Official Symbol Interactor A, Official Symbol "
        "Interactor B, Score",
    ),
    Dialect(
        "biogrid.txt",
        BIOGRID,
        [("ACTN2", "MYPN"), ("FLNC", "MAP2K4")],
        {"source": "Official Symbol Interactor A", "target": "Official Symbol Interactor B"},
        told="columns ignored: BioGRID Interaction ID, Entrez Gene Interactor A, Entrez Gene Interactor B, Score",
    ),
    Dialect(
        "intact.txt",
        MITAB,
        [("uniprotkb:O43426", "uniprotkb:P49418"), ("uniprotkb:P49418", "uniprotkb:Q05193")],
        told=NAMED.format("ID(s) interactor A - ID(s) interactor B")
        + "; columns ignored: Alt. ID(s) interactor A, Taxid interactor A, Taxid interactor B",
    ),
    Dialect(
        "gene2go",
        "#tax_id\tGeneID\tGO_ID\tEvidence\n3702\t814629\tGO:0005634\tISM\n3702\t814630\tGO:0003677\tIEA\n",
        [("814629", "GO:0005634"), ("814630", "GO:0003677")],
        kind="bipartite",
        told="columns ignored: tax_id, Evidence",
    ),
    Dialect(
        "network.sif",
        "a pp b c\nb pd c\nlonely\n",
        [("a", "b"), ("a", "c"), ("b", "c")],
        told="1 node without an edge left out; columns ignored: relation",
    ),
    Dialect(
        "triples.csv", "subject,predicate,object\na,likes,b\nb,likes,c\n", ABC, told="columns ignored: predicate"
    ),
    Dialect("trailing.csv", "source,target,\na,b,\nb,c,\n", ABC, told="columns ignored: column_3"),
    Dialect("quoted.csv", 'source,target\r\n"a\nx",b\r\nb,c\r\n', [("a\nx", "b"), ("b", "c")]),
    Dialect("old mac.csv", "source,target\ra,b\rb,c\r", ABC),
    Dialect(
        "r.csv",
        '"","V1","V2"\n"1","a","b"\n"2","b","c"\n',
        ABC,
        told="edges are between V1 and V2 (--source and --target name others); columns ignored: column_1",
    ),
    Dialect("r.txt", '"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n', ABC, told="columns ignored: column_1"),
    Dialect(
        "pandas.csv",
        ",left,right\n0,a,b\n1,b,c\n",
        ABC,
        told="edges are between left and right (--source and --target name others); columns ignored: column_1",
    ),
    Dialect("zeros.csv", "source,target\n001,002\n002,010\n", [("001", "002"), ("002", "010")]),
    Dialect("thousands.csv", 'source,target\n"1,234","2,000"\n"2,000",7\n', [("1,234", "2,000"), ("2,000", "7")]),
    Dialect(
        "floats.csv",
        "source,target\n1,2.0\n2,3.0\n",
        [("1", "2"), ("2", "3")],
        told="ids are whole numbers: 2.0 is read as 2",
    ),
    Dialect(
        "na.csv",
        "source,target\na,b\nNA,b\n",
        [("NA", "b"), ("a", "b")],
        told="NA was read as the name of a node; leave such rows out if an end is not known",
    ),
    Dialect("twice.csv", "source,target,source\na,b,1\nb,c,2\n", ABC, told="columns ignored: source_2"),
    Dialect("comments.csv", "source,target\na,b\nb,c\n# 2 links\n", ABC),
    Dialect("science.csv", "source,target,weight\na,b,1.5e-3\nb,c,2E+2\n", ABC, weights=[0.0015, 200]),
    Dialect(
        "doi.csv",
        "citing_doi,cited_doi\n10.1/b,10.1/a\n10.1/c,10.1/b\n",
        [("10.1/b", "10.1/a"), ("10.1/c", "10.1/b")],
        kind="directed",
    ),
]

PAJEK = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2\n2 3\n'
LIST_NEEDED = "and a list of edges is needed"
MATRIX = (
    f"looks like an adjacency matrix, {LIST_NEEDED}, one row for each link; in Python, "
    "pulink.from_scipy(scipy.sparse.csr_array(matrix)) takes a matrix"
)
REFUSED = [
    (
        "karate.net",
        PAJEK,
        f": looks like a Pajek file, {LIST_NEEDED}; in Python, use pulink.from_networkx(networkx.read_pajek(...))",
    ),
    (
        "ucinet.txt",
        "dl n=3 format=edgelist1\nlabels:\na,b,c\ndata:\n1 2 1\n",
        f": looks like a UCINET DL file, {LIST_NEEDED}; save its edges as CSV, one row for each link",
    ),
    (
        "metis.graph",
        "4 4\n2 3\n1 4\n1 4\n2 3\n",
        ": looks like a METIS file, a row of neighbours for each node, "
        f"{LIST_NEEDED}; save its edges as CSV, one row for each link",
    ),
    (
        "matrix.txt",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n",
        f": looks like a Matrix Market file, {LIST_NEEDED}; in Python, use "
        "pulink.from_scipy(scipy.io.mmread(...))",
    ),
    ("named.csv", ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", f": {MATRIX}"),
    ("bare.csv", "0,1,0\n1,0,1\n0,1,0\n", f": {MATRIX}"),
    (
        "neighbours.txt",
        "a b c d\nb c\nc d\n",
        ": looks like an adjacency list, a node and all of its neighbours in "
        "each row; in Python, use networkx.read_adjlist and pulink.from_networkx, or type --source column_1 "
        "--target column_2 to read the first two columns",
    ),
    (
        "relations.txt",
        "a\tpp\tb\nb\tpp\tc\nc\tpd\ta\n",
        ": is column_2 a relation? The nodes of column_1 stand in "
        "column_3, too: type --source column_1 --target column_3, or --source column_1 --target column_2 if the "
        "second column holds nodes",
    ),
    (
        "windows.csv",
        "Source;Target\r\nMüller;b\r\n".encode("cp1252"),
        ", line 2: not UTF-8 (byte 0xfc); save it as UTF-8 or pass its encoding, for example latin-1",
    ),
    (
        "ragged.csv",
        "source,target\na,b\nb,c,d\n",
        ", line 3: 3 columns where line 1 has 2; every row needs the same columns",
    ),
    ("empty.csv", "source,target\n1.0,2.0\n2.0,\n", ", line 3: target is empty; every row needs an id there"),
    (
        "mixed.csv",
        'source,target,weight\na,b,"1,5"\nb,c,1.5\n',
        ", line 2: weight is '1,5'; weights must be positive "
        "numbers, 1e-38 to 3e38; write all of the column alike, such as 1234.5",
    ),
    (
        "zero.csv",
        "source,target,weight\na,b,0\n",
        ", line 2: weight is '0'; weights must be positive numbers, 1e-38 to 3e38",
    ),
    (
        "percent.csv",
        "source,target,weight\na,b,0.5\nb,c,85%\n",
        ", line 3: weight is '85%'; weights must be positive "
        "numbers, 1e-38 to 3e38; write all of the column alike, such as 1234.5",
    ),
]


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: f"{dialect.file} {[*dialect.settings]}")
def test_a_dialect_is_read_right(write: Write, dialect: Dialect) -> None:
    graph = pulink.read(write(dialect.file, dialect.content), **dialect.settings)
    assert links_of(graph) == dialect.links
    assert graph.kind == dialect.kind
    assert str(graph.cleaning) == dialect.told
    weights = None if graph.weights is None else graph.weights.tolist()
    assert weights == (None if dialect.weights is None else pytest.approx(dialect.weights))


@pytest.mark.parametrize(("file", "content", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_a_dialect_that_is_not_read_says_what_to_type(
    write: Write, file: str, content: str | bytes, message: str
) -> None:
    path = write(file, content)
    with pytest.raises(PulinkError) as caught:
        pulink.read(path)
    assert str(caught.value) == f"{path}{message}"


def test_what_a_refusal_says_to_type_is_read(write: Write) -> None:
    relations = write("relations.txt", "a\tpp\tb\nb\tpp\tc\nc\tpd\ta\n")
    assert links_of(pulink.read(relations, source="column_1", target="column_3")) == [*ABC[:1], ("a", "c"), ABC[1]]
    neighbours = write("neighbours.txt", "a b c d\nb c\nc d\n")
    read = pulink.read(neighbours, source="column_1", target="column_2")
    assert links_of(read) == [("a", "b"), ("b", "c"), ("c", "d")]


def test_a_gephi_table_of_nodes_goes_with_its_edges(write: Write) -> None:
    edges = write("edges.csv", GEPHI.format("Undirected"))
    nodes = write("nodes.csv", "Id,Label,timeset,size\nn1,one,,1.5\nn2,two,,2.5\nn3,three,,3.5\nn4,four,,\n")
    graph = pulink.read(edges, nodes, kinds={"Label": "ignore"})
    assert graph.feature_names is not None
    assert [name for name in graph.feature_names if "size" in name] == list(graph.feature_names)
    dense = graph.features.toarray()  # type: ignore[union-attr]
    assert dense[:, 0].tolist() == pytest.approx([-1.2247448, 0, 1.2247448, 0])
