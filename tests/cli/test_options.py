"""The graph that a command line names."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulink.cli.options import check_files, describe, open_graph
from pulink.errors import InputError, ParameterError
from tests.conftest import Write

EDGES = "source,target,weight\na,b,2\nb,a,1\nb,c,1\nc,c,1\n"


def test_what_was_read_is_told_in_one_line(write: Write) -> None:
    path = str(write("edges.csv", EDGES))
    nodes = write("nodes.csv", "id,year\na,1999\nb,2001\n")
    graph = open_graph(path, nodes, kinds=["year=category"])
    assert graph.feature_names == ("year=1999", "year=2001", "year is missing")
    assert describe(path, graph) == (
        f"read {path}: 3 nodes, 2 edges, 3 node features, weighted "
        "(1 reversed duplicate merged, 1 self-loop dropped; 1 node without a row in the node table; "
        "attributes year (category): 3 features)"
    )
    assert describe("-", graph).startswith("read standard input: ")


def test_a_name_of_the_catalogue_is_a_dataset() -> None:
    assert open_graph("sample").n_nodes == 5769


def test_a_file_comes_before_a_dataset_of_its_name(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write("sample", EDGES).parent)
    assert open_graph("sample").n_nodes == 3


def test_options_of_files_do_not_go_with_datasets() -> None:
    with pytest.raises(ParameterError, match="--weight goes with a file"):
        open_graph("sample", weight="w")
    with pytest.raises(ParameterError, match="--column goes with a file"):
        open_graph("sample", kinds=["tags=text"])


@pytest.mark.parametrize("value", ["year", "=text", "year="])
def test_a_kind_needs_a_column_and_a_name(write: Write, value: str) -> None:
    with pytest.raises(ParameterError, match="--column takes NAME=KIND"):
        open_graph(str(write("edges.csv", EDGES)), kinds=[value])


def test_a_column_may_have_an_equals_sign_in_its_name(write: Write) -> None:
    nodes = write("nodes.csv", "id,a=b\na,x\nb,y\n")
    graph = open_graph(str(write("edges.csv", EDGES)), nodes, kinds=["a=b=text"])
    assert graph.feature_names == ("a=b: x", "a=b: y", "a=b is missing")


def test_misspelt_files_are_found_at_once(tmp_path: Path) -> None:
    check_files("-", Path("-"))
    check_files("sample", None)
    with pytest.raises(InputError, match="no such file"):
        check_files(str(tmp_path / "e.csv"), None)
    with pytest.raises(InputError, match="no such file"):
        check_files("sample", tmp_path / "n")
