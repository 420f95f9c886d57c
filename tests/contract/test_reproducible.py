"""One seed, one set of files: whatever the order of the rows, the hash seed of the process, or the time of day."""

import contextlib
import os
import re
from pathlib import Path

import pytest

import pulink
from tests.support.command import call, run
from tests.support.shuffled import command, write_graph, written

NAMES = list(pulink.METHODS)
# In every run of the tests; the slow ones, and `python -m torture.reproducible`, ask all.
FEW = ("l3n", "gcn-ce")
FEW_THEN_ALL = [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
# Years, and clocks such as 12:34:56; the pages' own styles and drawings hold neither.
TIME = re.compile(rb"\b20[2-9]\d-[01]\d-[0-3]\d|\b[0-2]?\d:[0-5]\d:[0-5]\d\b|\bseconds\b")


def found(folder: Path, name: str, order: int | None, kind: str = "undirected") -> dict[str, bytes]:
    write_graph(folder, order, swap=kind == "undirected")
    with contextlib.chdir(folder):
        ended = call(*command(name, pulink.METHODS[name].predictor.parameter_names(), kind=kind))
    assert ended.status == 0, ended.err
    return written(folder / "out")


@pytest.mark.parametrize("name", FEW_THEN_ALL)
def test_the_order_of_rows_and_ends_changes_no_byte(name: str, tmp_path: Path) -> None:
    plain, shuffled = found(tmp_path / "plain", name, None), found(tmp_path / "shuffled", name, 11)
    edges = [(tmp_path / own / "edges.csv").read_bytes() for own in ("plain", "shuffled")]
    assert edges[0] != edges[1]
    assert plain.keys() == shuffled.keys() >= {"missing_links.csv", "run.json", "report.html"}
    assert [file for file in plain if plain[file] != shuffled[file]] == []
    # Nor do they say when they were written, or how long it took.
    assert [file for file, content in plain.items() if TIME.search(content)] == []


@pytest.mark.parametrize("name", ["l3n", pytest.param("pull-plus", marks=pytest.mark.slow)])
def test_the_order_of_rows_changes_no_byte_where_links_have_a_direction(name: str, tmp_path: Path) -> None:
    plain, shuffled = (found(tmp_path / str(order), name, order, "directed") for order in (None, 11))
    assert plain.keys() == shuffled.keys()
    assert [file for file in plain if plain[file] != shuffled[file]] == []
    undirected = found(tmp_path / "undirected", name, None)
    assert plain["missing_links.csv"] != undirected["missing_links.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_neither_hash_seed_nor_process_changes_a_byte(threads: int, tmp_path: Path) -> None:
    parameters = pulink.METHODS["pull-plus"].predictor.parameter_names()
    results = []
    for seed in ("0", "1", "4000000"):
        write_graph(tmp_path / seed, int(seed) or None)
        env = {"PYTHONHASHSEED": seed, "PULINK_THREADS": "", "TZ": f"UTC{len(results)}", "PWD": os.devnull}
        ended = run(*command("pull-plus", parameters, threads), cwd=tmp_path / seed, env=env)
        assert ended.status == 0, ended.err
        results.append(written(tmp_path / seed / "out"))
    assert results[0] == results[1] == results[2]
