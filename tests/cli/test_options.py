"""What is checked of options before any work, and how the reading options are spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulink.cli.parsing.options import check_files, check_reading
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from tests.conftest import Write
from tests.support.command import call

EDGES = "source,target,weight\na,b,2\nb,a,1\nb,c,1\nc,c,1\n"


def test_a_column_may_have_an_equals_sign_in_its_name(write: Write) -> None:
    files = str(write("edges.csv", EDGES)), "--nodes", str(write("nodes.csv", "id,a=b\na,x\nb,y\n"))
    outcome = call("estimate", *files, "--method", "l3n", "--column", "a=b=text")
    assert "attributes a=b (text): 3 features" in outcome.err


def test_options_of_files_do_not_go_with_datasets() -> None:
    with pytest.raises(ParameterError, match="--weight goes with a file"):
        check_reading("sample", None, ReadOptions(weight="w"))
    with pytest.raises(ParameterError, match="--column goes with a file"):
        check_reading("sample", None, ReadOptions(kinds={"tags": "text"}))
    check_reading("sample", None, ReadOptions(encoding="latin-1"))


def test_options_of_a_node_table_need_one(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="--node-id goes with --nodes"):
        check_reading("edges.csv", None, ReadOptions(node_id="id"))
    with pytest.raises(ParameterError, match=r"--column goes with a node table, and .*n\.npz is none"):
        check_reading("edges.csv", tmp_path / "n.npz", ReadOptions(kinds={"a": "text"}))
    check_reading("graph.graphml", None, ReadOptions(kinds={"a": "text"}))


@pytest.mark.parametrize("value", ["year", "=text", "year="])
def test_a_kind_needs_a_column_and_a_name(write: Write, value: str) -> None:
    outcome = call("find", str(write("edges.csv", EDGES)), "--column", value)
    assert outcome.status == 2
    assert "--column takes NAME=KIND" in outcome.err


def test_any_separator_can_be_named(write: Write) -> None:
    outcome = call("estimate", str(write("edges.txt", "a:b\nb:c\n")), "--separator", ":", "--method", "l3n")
    assert outcome.status == 0
    assert "3 nodes, 2 edges" in outcome.err


def test_misspelt_files_are_found_at_once(tmp_path: Path) -> None:
    check_files("-", Path("-"))
    check_files("sample", None)
    with pytest.raises(InputError, match="no such file"):
        check_files(str(tmp_path / "e.csv"), None)
    with pytest.raises(InputError, match="no such file"):
        check_files("sample", tmp_path / "n")
