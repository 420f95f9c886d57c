"""Ids and numbers that are empty, gigantic, not finite, or hard to tell apart."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pulink
from tests.conftest import Write
from tests.support.hostile import EDGES, refused


def names(graph: pulink.Graph) -> list[str]:
    return graph.names.series().to_list()


@pytest.mark.parametrize("cell", ['""', '" "', "\u00a0", "\t"])
def test_empty_ids_are_refused(write: Write, cell: str) -> None:
    refused(", line 3: target is empty", write("edges.csv", f"source,target\na,b\nb,{cell}\n"))


def test_blank_ids_in_parquet_are_refused(tmp_path: Path) -> None:
    pl.DataFrame({"source": ["a", " "], "target": ["b", "c"]}).write_parquet(tmp_path / "edges.parquet")
    refused(", row 2: source is empty", tmp_path / "edges.parquet")


def test_ids_beyond_double_precision_stay_apart(write: Write, tmp_path: Path) -> None:
    big = [2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**30]
    text = "".join(f"{a},{b}\n" for a, b in pairwise(big))
    assert names(pulink.read(write("edges.csv", text))) == sorted(map(str, big))
    wide = pl.DataFrame(
        {"source": [2**64 - 1, 2**53], "target": [2**53 + 1, 1]}, schema_overrides={"source": pl.UInt64}
    )
    wide.write_parquet(tmp_path / "edges.parquet")
    assert set(names(pulink.read(tmp_path / "edges.parquet"))) == {
        "1", "9007199254740992", "9007199254740993", "18446744073709551615"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "\u0410nna"),
        ("TOM", "\u0422\u039fM"),
        ("caf\u00e9", "cafe\u0301"),
        ("zero", "ze\u200bro"),
        ("a-b", "a\u2011b"),
        ("New York", "New  York"),
        ("New York", "New\u00a0York"),
        ("ABC", "\uff21BC"),
    ],
)
def test_names_that_look_alike_stay_apart_and_are_pointed_out(write: Write, one: str, other: str) -> None:
    graph = pulink.read(write("edges.csv", f"source,target\n{one},x\n{other},x\ny,x\n"))
    assert graph.n_nodes == 4
    said = str(graph.cleaning)
    assert "2 names look alike (blanks, invisible or foreign letters) and stay different nodes: " in said
    assert ascii(one) in said
    assert ascii(other) in said


def test_blanks_around_names_are_pointed_out_where_they_are_kept(tmp_path: Path) -> None:
    pl.DataFrame({"source": ["a ", "b", "a"], "target": ["b", "c", "c"]}).write_parquet(tmp_path / "edges.parquet")
    assert "2 names look alike" in str(pulink.read(tmp_path / "edges.parquet").cleaning)


def test_numbers_written_differently_are_pointed_out(write: Write) -> None:
    graph = pulink.read(write("edges.csv", "1,x\n01,y\n1.0,z\n+1,w\n2,2.5\n"))
    assert graph.n_nodes == 10
    said = "4 names are one number written differently and stay different nodes: '+1'/'01'/'1'/'1.0'"
    assert said in str(graph.cleaning)


def test_look_alikes_between_edges_and_nodes_are_pointed_out(write: Write) -> None:
    nodes = write("nodes.csv", "id,size\na,1\nb,2\nc,3\nd,4\n\u0430,5\n")
    assert "2 names look alike" in str(pulink.read(write("edges.csv", EDGES), nodes).cleaning)


@pytest.mark.parametrize(
    "content",
    [
        "Ωmega,Юлия\nЮлия,東京\n",
        "001,002\n002,003\n",
        "New York,Los Angeles\nBoston,New York\n",
        "1.5,2.5\n2.5,3\n",
    ],
)
def test_names_that_cannot_be_mistaken_are_not_pointed_out(write: Write, content: str) -> None:
    assert "different nodes" not in str(pulink.read(write("edges.csv", content)).cleaning)


@pytest.mark.parametrize("weight", ["1e300", "1e-300", "inf", "nan", "0", "-1", "1e999"])
def test_weights_that_cannot_be_kept_are_refused(write: Write, weight: str) -> None:
    path = write("edges.csv", f"source,target,weight\na,b,1\nb,c,{weight}\n")
    refused(f", line 3: weight is '{weight}'; weights must be positive numbers, 1e-38 to 3e38", path)


def test_infinite_numbers_are_counted_and_placed(write: Write) -> None:
    rows = "a,1,inf,x\nb,-Infinity,2,y\nc,inf,3,x\nd,1e999,4,y\n"
    nodes = write("nodes.csv", f"id,size,age,kind\n{rows}")
    message = (
        ", line 3: size is '-Infinity'; numbers must be finite, or empty where unknown; "
        r"such cells are 3 of size \(lines 3, 4, 5\), 1 of age \(line 2\)"
    )
    refused(message, write("edges.csv", EDGES), nodes)


def test_nan_is_missing_and_counted_and_placed(write: Write, tmp_path: Path) -> None:
    edges = write("edges.csv", EDGES)
    graph = pulink.read(edges, write("nodes.csv", "id,size,age\na,nan,1\n\nb,2,2\nc,NaN,NaN\nd,1,3\n"))
    assert graph.feature_names == ("size", "size is missing", "age", "age is missing")
    assert "NaN counts as missing: 2 of size (lines 2, 5), 1 of age (line 5)" in str(graph.cleaning)
    pl.DataFrame({"id": list("abcd"), "size": [1.0, float("nan"), 2.0, 3.0]}).write_parquet(tmp_path / "n.parquet")
    assert "NaN counts as missing: 1 of size (row 2)" in str(pulink.read(edges, tmp_path / "n.parquet").cleaning)


@pytest.mark.parametrize("values", [[1e308, -1e308, 1e308, 0], [1e-320, 0, 0, 1e-320], [1e-200, 2e-200, 0, 0]])
def test_numbers_of_any_size_are_standardised(write: Write, values: list[float]) -> None:
    rows = "".join(f"{name},{value!r}\n" for name, value in zip("abcd", values, strict=True))
    graph = pulink.read(write("edges.csv", EDGES), write("nodes.csv", f"id,size\n{rows}"))
    assert graph.features is not None
    found = graph.features.toarray().ravel()
    alike = np.array(values) / max(map(abs, values))
    np.testing.assert_allclose(found, (alike - alike.mean()) / alike.std(), rtol=1e-3)


def test_columns_of_text_have_an_end(write: Write) -> None:
    header = ",".join(f"c{k}" for k in range(1_001))
    rows = "".join(f"{name}," + ",".join(["two words"] * 1_001) + "\n" for name in "abcd")
    nodes = write("nodes.csv", f"id,{header}\n{rows}")
    refused("1,001 columns of text; at most 1,000 are allowed", write("edges.csv", EDGES), nodes)
