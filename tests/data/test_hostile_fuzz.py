"""A short torture: what `python -m torture.inputs` does by the thousand, in one process and without its limits."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from random import Random

import pytest
from torture import cases, valid_files
from torture.inputs import Figures, Worker

import pulink
from pulink.errors import PulinkError


def write_case(case: cases.Case, folder: Path) -> list[Path]:
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in case.files]


def test_damaged_files_end_in_a_graph_or_in_one_line(tmp_path: Path) -> None:
    fates = {"read": 0, "refused": 0}
    for case in cases.cases(240, seed=2_024):
        if "parquet" in case.format:
            continue
        try:
            pulink.read(*write_case(case, tmp_path), **case.settings)
            fates["read"] += 1
        except PulinkError as error:
            assert len(str(error).splitlines()) == 1
            fates["refused"] += 1
    assert min(fates.values()) > 30


@pytest.mark.parametrize("number", range(3))
def test_the_files_that_are_damaged_were_valid(tmp_path: Path, number: int) -> None:
    rng = Random(number)  # noqa: S311 (no secret)
    texts = {"a.csv": ",", "b.tsv": "\t", "c.txt": " "}
    files = {name: valid_files.edge_text(rng, separator) for name, separator in texts.items()}
    files |= {
        "d.csv.gz": valid_files.gzipped(valid_files.edge_text(rng, ";")),
        "e.graphml": valid_files.graphml(rng),
    }
    files |= {"f.parquet": valid_files.edge_parquet(rng)}
    for path in write_case(cases.Case("all", files), tmp_path):
        assert pulink.read(path).n_nodes > 0
    nodes = write_case(
        cases.Case("nodes", {"edges.csv": cases.EDGES, "n.csv": valid_files.node_text(rng)}), tmp_path
    )
    assert pulink.read(*nodes).n_features > 0


def test_a_number_stands_for_one_input_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    one = list(itertools.islice(cases.cases(60, seed=5), 60))
    another_year = time.time() + 400 * 86_400
    monkeypatch.setattr(time, "time", lambda: another_year)
    assert list(itertools.islice(cases.cases(60, seed=5), 60)) == one
    assert one != list(cases.cases(60, seed=6))


def test_the_torture_finds_what_it_looks_for(tmp_path: Path) -> None:
    worker, figures = Worker(tmp_path), Figures()
    good = cases.Case("csv", {"edges.csv": b"a,b\nb,c\n"})
    figures.add(0, good, worker.ask(good))
    bad = cases.Case("csv", {"edges.csv": b"a,b\nb,\n"})
    figures.add(1, bad, worker.ask(bad))
    wrong = cases.Case("csv", {"edges.csv": b"a,b\n"}, {"no_such_setting": 1})
    figures.add(2, wrong, worker.ask(wrong))
    worker.stop()
    assert dict(figures.fates["csv"]) == {"read": 1, "refused": 1, "violation": 1}
    assert "a message that names no file" in figures.violations[0]
    figures.add(3, good, {"fate": "read", "told": "", "seconds": 9.0, "clock": 9.0, "bytes": 1})
    figures.add(4, good, {"fate": "read", "told": "", "seconds": 1.0, "clock": 1.0, "bytes": 2 * 10**9})
    assert len(figures.violations) == 3
    told = figures.to_dict()
    assert (told["inputs"], told["read"], told["refused"], told["violations"]) == (5, 1, 1, 3)
    assert told["most megabytes"] == {"most": 2_000, "input": 4, "format": "csv"}
