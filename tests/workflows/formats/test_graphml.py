"""GraphML of any names is read back by NetworkX, name by name and number by number."""

from __future__ import annotations

import io
from itertools import pairwise

import networkx as nx
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.workflows.formats.graphml import graphml_of

LETTERS = st.sampled_from("<>&\"'=\t\n\r ]é😀\u2028") | st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cs")
)
NAMES = st.lists(
    st.text(LETTERS, min_size=1, max_size=6).filter(lambda name: not {"\ufffe", "\uffff"} & {*name}),
    min_size=3,
    max_size=6,
    unique=True,
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def links(pairs: list[tuple[str, str]], score: float, low: float | None) -> pl.DataFrame:
    known = {"rank": 1, "probability": 0.5, "score": score, "probability_low": low, "probability_high": 0.75}
    rows = [{"source": a, "target": b} | known | {"reason": a, "reasons": f"{a}; {b}"} for a, b in pairs]
    return pl.DataFrame(rows, schema_overrides={"probability_low": pl.Float64})


@settings(max_examples=40)
@given(NAMES, NUMBERS, st.none() | NUMBERS)
def test_names_and_numbers_come_back(names: list[str], score: float, low: float | None) -> None:
    pairs = list(pairwise(names))
    graph = pulink.Graph.from_edges([[0, len(names) - 1]], names=[f"n{k}" for k in range(len(names))])
    text = graphml_of(graph, links(pairs, score, low))
    found = nx.read_graphml(io.BytesIO(text.encode()))
    assert set(found) == set(names)
    assert {frozenset(pair) for pair in found.edges} == {frozenset(pair) for pair in pairs}
    for _, _, values in found.edges(data=True):
        assert (values["rank"], values["score"], values.get("probability_low")) == (1, score, low)


def test_by_hand() -> None:
    graph = pulink.Graph.from_edges([[0, 1]], kind="directed")
    *_, node, _, edge, end, last = graphml_of(graph, links([("a<b", 'c"d')], -0.25, None)).splitlines()
    assert node == '<node id="a&lt;b"/>'
    assert edge == (
        """<edge source="a&lt;b" target='c"d'><data key="rank">1</data><data key="probability">0.5</data>"""
        '<data key="score">-0.25</data><data key="probability_high">0.75</data>'
        '<data key="reason">a&lt;b</data><data key="reasons">a&lt;b; c"d</data></edge>'
    )
    assert (end, last) == ("</graph>", "</graphml>")
