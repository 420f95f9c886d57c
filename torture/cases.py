"""The inputs of the torture: number k of a seed is always the same, as long as the code in torture/ is.

(hypothesis takes constants of the code around it for likely values.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from torture import mutations as twist
from torture import valid_files as valid

EDGES = "".join(f"{a},{b}\n" for a, b in zip(valid.NAMES, valid.NAMES[1:], strict=False)).encode()
NUMBERED = b"".join(b"%d,%d\n" % (k, k + 1) for k in range(19))
_HYPOTHESIS_SHARE = 0.2


@dataclass(frozen=True)
class Case:
    """Files (name -> bytes), which of them are read, and with what settings."""

    format: str
    files: dict[str, bytes]
    settings: dict[str, Any] = field(default_factory=dict)


def cases(count: int, seed: int) -> Iterator[Case]:
    """`count` inputs: files that hypothesis thought of, then valid files that were damaged."""
    invented = _invented(round(_HYPOTHESIS_SHARE * count), seed)
    yield from invented
    names, weights = zip(*((name, weight) for name, (weight, _) in _FORMATS.items()), strict=True)
    for k in range(count - len(invented)):
        rng = Random(f"{seed}/{k}")  # noqa: S311 (no secret)
        yield _FORMATS[rng.choices(names, weights)[0]][1](rng)


def _delimited(ending: str, separators: str) -> Callable[[Random], Case]:
    def make(rng: Random) -> Case:
        data = _damaged_text(valid.edge_text(rng, rng.choice(separators)), rng)
        return Case(ending, {f"edges.{ending}": data}, _settings(rng))

    return make


def _gzip(rng: Random) -> Case:
    data = valid.edge_text(rng, ",")
    match rng.randrange(4):
        case 0:
            packed = twist.mutated(valid.gzipped(data), rng)
        case 1:
            packed = valid.gzipped(_damaged_text(data, rng))
        case 2:
            packed = valid.gzipped(data * rng.choice([100, 1_000])) * rng.choice([1, 3, 40, 2_000])
        case _:
            packed = valid.gzipped(data) + twist.mutated(valid.gzipped(data), rng)
    return Case("gz", {"edges.csv.gz": packed}, _settings(rng))


def _parquet(rng: Random) -> Case:
    return Case("parquet", {"edges.parquet": _damaged_parquet(valid.edge_parquet(rng), rng)})


def _npz(rng: Random) -> Case:
    data = twist.twisted_arrays(valid.graph_arrays(rng), rng)
    return Case("npz", {"graph.npz": twist.mutated(data, rng) if rng.random() < 0.25 else data})


def _graphml(rng: Random) -> Case:
    change = twist.twisted_markup if rng.random() < 0.6 else twist.mutated
    return Case("graphml", {"graph.graphml": change(valid.graphml(rng), rng)})


def _node_table(rng: Random) -> Case:
    return Case("node table", {"edges.csv": EDGES, "nodes.csv": _damaged_text(valid.node_text(rng), rng)})


def _node_parquet(rng: Random) -> Case:
    return Case(
        "node parquet", {"edges.csv": EDGES, "nodes.parquet": _damaged_parquet(valid.node_parquet(rng), rng)}
    )


def _node_matrix(rng: Random) -> Case:
    data = twist.twisted_arrays(valid.matrix_arrays(rng), rng)
    return Case(
        "node matrix",
        {"edges.csv": NUMBERED, "nodes.npz": twist.mutated(data, rng) if rng.random() < 0.25 else data},
    )


_FORMATS: dict[str, tuple[float, Callable[[Random], Case]]] = {
    "csv": (22, _delimited("csv", ",;|")),
    "tsv": (9, _delimited("tsv", "\t")),
    "txt": (14, _delimited("txt", " \t,")),
    "gz": (11, _gzip),
    "npz": (12, _npz),
    "graphml": (12, _graphml),
    "node table": (10, _node_table),
    "node matrix": (6, _node_matrix),
    "parquet": (3, _parquet),
    "node parquet": (1, _node_parquet),
}


def _damaged_text(data: bytes, rng: Random) -> bytes:
    return rng.choice([twist.mutated, twist.twisted_text, twist.twisted_text])(data, rng)


def _damaged_parquet(data: bytes, rng: Random) -> bytes:
    return rng.choice([twist.mutated, twist.twisted_parquet, twist.twisted_parquet])(data, rng)


def _settings(rng: Random) -> dict[str, Any]:
    if rng.random() < 0.8:
        return {}
    return rng.choice(
        [
            {"header": True},
            {"header": False},
            {"encoding": rng.choice(["latin-1", "utf-16", "utf-8-sig", "cp037", "utf-7"])},
            {"weight": rng.choice(["weight", "column_3", "target"])},
            {"separator": rng.choice(",;| \t")},
            {"source": "target"},
        ]
    )


def _invented(count: int, seed: int) -> list[Case]:
    """Files by hypothesis, which likes edges of ranges, odd letters and repeated parts."""
    found: list[Case] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(_case())
    def collect(case: Case) -> None:
        found.append(case)

    if count:
        collect()
    return found[:count]


def _case() -> st.SearchStrategy[Case]:
    cell = st.one_of(
        st.text(max_size=8), st.sampled_from(["1", "a", "", '"', "nan", "inf"]), st.integers().map(str)
    )
    rows = st.lists(st.lists(cell, min_size=0, max_size=4), max_size=6)
    table = st.tuples(
        rows, st.sampled_from([",", ";", "\t", " ", "|"]), st.sampled_from(["\n", "\r\n", "\r"])
    ).map(lambda made: made[2].join(made[1].join(row) for row in made[0]).encode("utf-8", "surrogatepass"))
    text = st.one_of(table, st.binary(max_size=60))
    named = st.tuples(st.sampled_from(["csv", "tsv", "txt"]), text)
    edges = named.map(lambda made: Case(made[0], {f"edges.{made[0]}": made[1]}))
    nodes = text.map(lambda data: Case("node table", {"edges.csv": EDGES, "nodes.csv": b"id,x\n" + data}))
    packed = text.map(lambda data: Case("gz", {"edges.csv.gz": valid.gzipped(data)}))
    plain = st.text(st.characters(codec="utf-8", exclude_characters="<&"), max_size=12)
    markup = st.lists(st.one_of(plain, st.sampled_from(_TAGS)), max_size=12).map(
        lambda parts: Case(
            "graphml", {"g.graphml": f"<graphml><graph>{''.join(parts)}</graph></graphml>".encode()}
        )
    )
    return st.one_of(edges, edges, nodes, packed, markup)


_TAGS = (
    "<node id='a'>", "</node>", "<node id='b'/>", "<edge source='a' target='b'/>", "<edge source='a' target='b'>",
    "</edge>", "<data key='k'>", "</data>", "<key id='k' for='node'>", "</key>", "<default>", "</default>",
    "<graph/>",
)  # fmt: skip
