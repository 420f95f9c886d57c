"""Edge lists as text: whatever people export is read, and what cannot be read names its line."""

from __future__ import annotations

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pulink
from pulink.data.formats.delimited import read_delimited
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from tests.conftest import Write


def links(graph: Graph) -> set[frozenset[str]]:
    return {frozenset(graph.names[i] for i in edge) for edge in graph.edges.tolist()}


def pairs(*words: str) -> set[frozenset[str]]:
    return {frozenset(word.split("-")) for word in words}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("ann,bob\nbob,cid\n", pairs("ann-bob", "bob-cid")),
        ("ann\tbob\nbob\tcid\n", pairs("ann-bob", "bob-cid")),
        ("ann;bob\nbob;cid\n", pairs("ann-bob", "bob-cid")),
        ("ann|bob\nbob|cid\n", pairs("ann-bob", "bob-cid")),
        ("ann bob\nbob cid\n", pairs("ann-bob", "bob-cid")),
        ("  ann   bob \n bob \t cid\n", pairs("ann-bob", "bob-cid")),
        ("ann , bob\n bob, cid\n", pairs("ann-bob", "bob-cid")),
        ("ann,bob\r\nbob,cid\r\n", pairs("ann-bob", "bob-cid")),
        ("ann,bob\rbob,cid\r", pairs("ann-bob", "bob-cid")),
        ("ann,bob\nbob,cid", pairs("ann-bob", "bob-cid")),
        ("\n\nann,bob\n\n \nbob,cid\n\n", pairs("ann-bob", "bob-cid")),
        ("\ufeffann,bob\nbob,cid\n", pairs("ann-bob", "bob-cid")),
        ("# made by hand\n% really\n## so\n#\nann,bob\nbob,cid\n", pairs("ann-bob", "bob-cid")),
        ("ann,bob\n# in the middle, too\nbob,cid\n", pairs("ann-bob", "bob-cid")),
        ("New York, Los Angeles\nBoston, New York\n", pairs("New York-Los Angeles", "Boston-New York")),
        ('"Smith, J.","Doe, A."\n"Doe, A.",Roe\n', pairs("Smith, J.-Doe, A.", "Doe, A.-Roe")),
        ('"Smith, J.", "Doe, A."\n"Doe, A.", Roe\n', pairs("Smith, J.-Doe, A.", "Doe, A.-Roe")),
        ("Smith, J.;Doe, A.\nDoe, A.;Roe, B.\n", pairs("Smith, J.-Doe, A.", "Doe, A.-Roe, B.")),
        ('"say ""hi""",b\nb,c\n', pairs('say "hi"-b', "b-c")),
        ('5" pipe,6" pipe\n6" pipe,7"\n', pairs('5" pipe-6" pipe', '6" pipe-7"')),
        ('"two\nlines",b\nb,c\n', pairs("two\nlines-b", "b-c")),
        ('"New  York" Rome\nRome "New York"\n', pairs("New  York-Rome", "Rome-New York")),
        ("Zürich,Genève\n東京,Zürich\n", pairs("Zürich-Genève", "東京-Zürich")),
        ("#tag,%x\n%x,#other\n", pairs("#tag-%x", "%x-#other")),
        ("nan,null\nNA,None\n", pairs("nan-null", "NA-None")),
    ],
)
def test_what_people_export_is_read(write: Write, content: str, expected: set[frozenset[str]]) -> None:
    assert links(pulink.read(write("edges.txt", content))) == expected


@pytest.mark.parametrize(
    "header",
    [
        "source,target",
        "Source,Target",
        "from,to",
        "From Node,To Node",
        "FromNodeId,ToNodeId",
        "id_1,id_2",
        "u,v",
        "a,b",
    ],
)
def test_a_header_of_well_known_names_is_no_edge(write: Write, header: str) -> None:
    assert links(pulink.read(write("edges.csv", f"{header}\nann,bob\nbob,cid\n"))) == pairs("ann-bob", "bob-cid")


@pytest.mark.parametrize("content", ["a,b\nb,c\n", "a,b\nc,a\n", "u,v\nv,w\n", "a,b\n"])
def test_letters_that_are_nodes_are_no_header(write: Write, content: str) -> None:
    expected = {frozenset(line.split(",")) for line in content.split()}
    assert links(pulink.read(write("edges.csv", content))) == expected


def test_a_name_above_numbers_is_a_header(write: Write) -> None:
    assert links(pulink.read(write("edges.csv", "user,friend\n1,2\n2,3\n"))) == pairs("1-2", "2-3")
    weighted = pulink.read(write("edges.csv", "drug,protein,score\nx,y,0.5\ny,z,1.5\n"), weight="score")
    assert links(weighted) == pairs("x-y", "y-z")


def test_a_row_with_a_number_is_no_header(write: Write) -> None:
    assert links(pulink.read(write("edges.csv", "hub,1\n1,2\n2,3\n"))) == pairs("hub-1", "1-2", "2-3")
    assert links(pulink.read(write("edges.csv", "TP53,7157\n1017,CDK2\n"))) == pairs("TP53-7157", "1017-CDK2")


def test_a_header_can_be_asked_for_or_denied(write: Write) -> None:
    path = write("edges.csv", "drug,protein\naspirin,COX1\nibuprofen,COX1\n")
    assert links(pulink.read(path, header=True)) == pairs("aspirin-COX1", "ibuprofen-COX1")
    assert len(links(pulink.read(path, header=False))) == 3
    assert len(links(pulink.read(write("edges.csv", "source,target\na,b\n"), header=False))) == 2


def test_a_first_line_that_may_be_a_header_is_pointed_out(write: Write) -> None:
    lines = "aspirin,COX1\nibuprofen,COX1\nibuprofen,COX2\n"
    assert "pill - molecule" in str(pulink.read(write("edges.csv", f"pill,molecule\n{lines}")).cleaning)
    assert str(pulink.read(write("edges.csv", lines)).cleaning) == ""


def test_ids_keep_their_identity(write: Write) -> None:
    graph = pulink.read(write("edges.csv", "001,1\n1,01\n1,1.0\n"))
    assert links(graph) == pairs("001-1", "1-01", "1-1.0")


def test_whole_numbers_are_ordered_by_value_and_words_by_letters(write: Write) -> None:
    assert pulink.read(write("edges.csv", "10,9\n2,10\n")).names.series().to_list() == ["2", "9", "10"]
    assert pulink.read(write("edges.csv", "10,9\n2,x\n")).names.series().to_list() == ["10", "2", "9", "x"]


@given(seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_change_the_graph(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rows = [f"n{a},{b}" for a in range(6) for b in range(a)] + ["a,b", "b,n1", "7,8"]
    folder = tmp_path_factory.mktemp("rows")
    (folder / "one.csv").write_text("\n".join(rows))
    random.Random(seed).shuffle(rows)  # noqa: S311 (no secret)
    (folder / "two.csv").write_text("\n".join(rows))
    one, two = pulink.read(folder / "one.csv"), pulink.read(folder / "two.csv")
    assert one.names.series().to_list() == two.names.series().to_list()
    assert one.edges.tolist() == two.edges.tolist()


def test_gzip_is_unpacked_whatever_the_file_is_called(write: Write) -> None:
    packed = gzip.compress(b"ann,bob\nbob,cid\n")
    for name in ("edges.csv.gz", "edges.csv"):
        assert links(pulink.read(write(name, packed))) == pairs("ann-bob", "bob-cid")


def test_other_encodings_are_read_when_named(write: Write) -> None:
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        path = write("edges.csv", "Zürich,Genève\nGenève,Bern\n".encode(encoding))
        assert links(pulink.read(path, encoding=encoding)) == pairs("Zürich-Genève", "Genève-Bern")


def test_a_third_column_is_ignored_aloud_and_can_be_asked_for(write: Write) -> None:
    path = write("edges.txt", "1 2 0.5\n2 3 0.25\n")
    assert str(pulink.read(path).cleaning) == "columns ignored: column_3"
    weights = pulink.read(path, weight="column_3").weights
    assert weights is not None
    assert weights.tolist() == [0.5, 0.25]


def test_semicolons_come_with_decimal_commas(write: Write) -> None:
    weights = pulink.read(write("edges.csv", "von;nach;weight\na;b;1,5\nb;c;2\n"), header=True).weights
    assert weights is not None
    assert weights.tolist() == [1.5, 2.0]
    assert links(pulink.read(write("edges.csv", "a;b;1,5\nb;c;2,5\n"))) == pairs("a-b", "b-c")


def test_columns_are_chosen_by_name(write: Write) -> None:
    path = write("edges.csv", "row,Source,kind,Target\n1,a,x,b\n2,b,y,c\n")
    assert links(pulink.read(path)) == pairs("a-b", "b-c")
    assert links(pulink.read(path, source="kind", target="row")) == pairs("x-1", "y-2")
    assert links(pulink.read(path, target="kind")) == pairs("a-x", "b-y")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": is empty"),
        ("\n# nothing\n\n", ": is empty"),
        (",,\n,,\n", ": is empty"),
        ("source,target\n", r": has columns \(source, target\) but no rows"),
        ("ann\nbob\n", ", line 1: only one column"),
        ("# one\n\nann\nbob\n", ", line 3: only one column"),
        ("ann,bob\nbob,cid,dan\n", ", line 2: 3 columns where line 1 has 2"),
        ("# x\nann,bob\n\nbob,cid,dan\n", ", line 4: 3 columns where line 2 has 2"),
        ("ann,bob\n,cid\n", ", line 2: column_1 is empty"),
        ("ann,bob\nbob\n", ", line 2: column_2 is empty"),
        ("# x\n\n# y\nsource,target\n\na,b\n\n# z\n\nb,\n", ", line 10: target is empty"),
        ('source,target\n"two\nlines",b\nb," "\n', ", line 4: target is empty"),
        ('ann,bob\n"bob,cid\ndan,eva\n', ", line 2: a quotation mark is never closed"),
        ("ann,bob\nZ\udcfcrich,bob\n", r", line 2: not UTF-8 \(byte 0xfc\).*latin-1"),
        ("# caf\udce9\nann,bob\n\nZ\udcfcrich,bob\n", r", line 4: not UTF-8 \(byte 0xfc\)"),
        ("a\0b,c\n", ": is not text"),
        ("source,target,weight\na,b,1\n\nb,c,-2\n", ", line 4: weight is '-2'; weights must be positive"),
        ("source,target,weight\na,b,1\nb,c,\n", ", line 3: weight is empty"),
        ("source,target,weight\na,b,nan\n", ", line 2: weight is 'nan'"),
    ],
)
def test_what_cannot_be_read_names_its_file_and_line(write: Write, content: str, message: str) -> None:
    path = write("edges.csv", content.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=message) as caught:
        pulink.read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_other_unicode_is_recognised_by_its_mark(write: Write, encoding: str) -> None:
    path = write("edges.csv", "Zürich,Genève\nGenève,Bern\n".encode(encoding))
    assert links(pulink.read(path)) == pairs("Zürich-Genève", "Genève-Bern")


def test_half_a_gzip_file_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="not a whole gzip file"):
        pulink.read(write("edges.csv.gz", gzip.compress(b"a,b\nb,c\n" * 100)[:-9]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": "wieght"}, r"has no column 'wieght'; did you mean 'weight'\?"),
        ({"source": "x"}, r"has no column 'x' \(its columns are source, target, weight\)"),
        ({"source": "target", "target": "target"}, "both column 'target'"),
        ({"separator": ":::"}, "one character"),
        ({"encoding": "klingon"}, "not known to Python"),
    ],
)
def test_settings_that_do_not_fit_are_refused(write: Write, settings: dict[str, str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        pulink.read(write("edges.csv", "source,target,weight\na,b,1\n"), **settings)  # type: ignore[arg-type]


cells = st.text(st.sampled_from('ab ,;"\n#é'), max_size=4)


@given(rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
def test_every_row_knows_its_line(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    quoted = ['"' + '","'.join(cell.replace('"', '""') for cell in row) + '"' for row in rows]
    path = tmp_path_factory.mktemp("lines") / "table.csv"
    path.write_text("id,text\n" + "\n".join(quoted) + "\n")
    table = read_delimited(path, ReadOptions(header=True, separator=","))
    expected, line = [], 2
    for row, text in zip(rows, quoted, strict=True):
        is_comment = row[0].strip().startswith("#") and (row[0].strip() + " ").lstrip("#")[0].isspace()
        if any(cell.strip() for cell in row) and not is_comment:
            expected.append(line)
        line += text.count("\n") + 1
    assert table.line_of is not None
    assert [table.line_of(row) for row in range(table.frame.height)] == expected


@pytest.mark.parametrize("separator", ["\t", "\\t", "tab", "TAB"])
def test_a_tab_may_be_written_out(separator: str, write: Write) -> None:
    graph = pulink.read(write("edges.txt", "a\tb\nb\tc\n"), separator=separator)
    assert graph.names[:] == ["a", "b", "c"]
