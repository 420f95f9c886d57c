"""GraphML with entities, without end, and with attributes that multiply."""

from __future__ import annotations

import time

import pytest

import pulink
from tests.conftest import Write
from tests.support.hostile import refused

HEAD = '<?xml version="1.0"?>\n'
LAUGHS = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))


@pytest.mark.parametrize(
    "subset",
    [
        f'<!ENTITY a0 "ha">{LAUGHS}',
        '<!ENTITY a9 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://nowhere.example/"> %p;',
        '<!ATTLIST node long CDATA "' + "A" * 100_000 + '">',
        "<!ELEMENT node (" + "(" * 1_000 + "a" + ")" * 1_000 + ")>",
        '<!NOTATION n SYSTEM "x">',
    ],
)
def test_declarations_are_refused(write: Write, subset: str) -> None:
    text = f'{HEAD}<!DOCTYPE graphml [{subset}]>\n<graphml><graph><node id="&a9;"/></graph></graphml>'
    refused(", line 2: declares an XML entity or grammar; neither is allowed", write("g.graphml", text))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_of_other_files_are_refused_and_never_fetched(write: Write, encoding: str) -> None:
    kind = '<!DOCTYPE graphml SYSTEM "file:///etc/passwd">'
    edge = '<edge source="a" target="b"/>'
    head = f'<?xml version="1.0" encoding="{encoding}"?>{kind}'
    bad = f'{head}<graphml><graph><node id="a&x;"/>{edge}</graph></graphml>'
    refused("uses entities of another file", write("g.graphml", bad.encode(encoding)))
    good = bad.replace("&x;", "&amp;&#65;")
    assert pulink.read(write("g.graphml", good.encode(encoding))).names.series().to_list() == ["a", "a&A", "b"]


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<a>" * 100_000, "more than 1,000 elements inside one another"),
        ('<node id="a">' * 100_000, "more than 1,000 elements inside one another"),
        (f'<node id="{"x" * 100_000}"/>', "the id of <node> is 'x*'… .100,000 characters.; at most 4,096"),
        ('<node id="  "/>', "<node> has no id"),
        ('<node id="a\0b"/>', "not well-formed XML"),
        (
            '<edge source="a" target="b"><data key="weight">1e300</data></edge>',
            "weight is '1e300'; weights must be positive numbers, 1e-38 to 3e38",
        ),
        ('<edge source="a" target="b"><data key="weight">1e-300</data></edge>', "weight is '1e-300'"),
        ('<edge source="a" target="b"><data key="weight">nan</data></edge>', "weight is 'nan'"),
    ],
)
def test_what_has_no_end_or_no_sense_names_its_line(write: Write, inside: str, message: str) -> None:
    refused(", line 2: " + message, write("g.graphml", f"{HEAD}<graphml><graph>{inside}</graph></graphml>"))


@pytest.mark.parametrize("encoding", ["utf-7", "big5", "klingon"])
def test_encodings_that_expat_does_not_know_are_refused(write: Write, encoding: str) -> None:
    refused(
        ", line 1: .*save it as UTF-8",
        write("g.graphml", f'<?xml version="1.0" encoding="{encoding}"?><graphml/>'),
    )


def test_attributes_do_not_multiply(write: Write) -> None:
    own = "".join(f'<node id="{k}"><data key="k{k}">1</data></node>' for k in range(6_000))
    refused("6,000 columns; at most 5,000", write("g.graphml", f"<graphml><graph>{own}</graph></graphml>"))
    few = "".join(f'<node id="{k}"><data key="k{k % 4_000}">1</data></node>' for k in range(9_000))
    refused(
        "9,000 nodes with 4,000 attributes, nearly", write("g.graphml", f"<graphml><graph>{few}</graph></graphml>")
    )
    default = f'<key id="k" for="node"><default>{"word " * 50_000}</default></key>'
    nodes = "".join(f'<node id="{k}"/>' for k in range(500))
    refused(
        "500 nodes with 1 attributes, nearly",
        write("g.graphml", f"<graphml>{default}<graph>{nodes}</graph></graphml>"),
    )


def test_elements_in_strange_places_are_no_trouble(write: Write) -> None:
    text = (
        '<graphml><key id="k" for="node"><node id="a"><key id="z"><default>1</default></key></node></key>'
        '<default>3</default><data key="x">1</data><graph><edge source="a" target="b"><edge source="b" target="c">'
        '<data key="weight">2</data></edge></edge><data key="y">2</data></graph></graphml>'
    )
    graph = pulink.read(write("g.graphml", text))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.weights is not None
    assert graph.weights.tolist() == [1, 2]


def test_infinite_attributes_name_the_line_of_their_node(write: Write) -> None:
    text = '<graphml><graph>\n<node id="a"><data key="k">1</data></node>\n'
    text += '<node id="b"><data key="k">inf</data></node>'
    edges = '<edge source="a" target="b"/></graph></graphml>'
    refused(", line 3: k is 'inf'; numbers must be finite", write("g.graphml", text + edges))


def test_many_nodes_and_edges_are_read_in_no_time(write: Write) -> None:
    nodes = "".join(f'<node id="{k}"/>' for k in range(50_000))
    started = time.process_time()
    edges = '<edge source="1" target="2"/>' * 50_000
    assert pulink.read(write("g.graphml", f"<graphml><graph>{nodes}{edges}</graph></graphml>")).n_nodes == 50_000
    assert time.process_time() - started < 3
