"""A process never holds all edges or all names: a table larger than what it may take becomes a graph folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pulink.data.read_options import ReadOptions
from pulink.workflows.sharded.prepare import Sizes

N_ROWS, N_NODES = 4_000_000, 300_000
MODEST = Sizes(rows=1 << 16, n_bytes=1 << 20, entries=1 << 17)

PROGRAM = """
import sys
from pathlib import Path
from pulink.engine.threads import use_threads
from pulink.system.memory import peak_bytes, reset_peak, resident_bytes
from tests.workflows.sharded.test_memory import MODEST, UNDIRECTED
from pulink.workflows.sharded.prepare import prepare
parts, few, folder = map(Path, sys.argv[1:])
with use_threads(1):
    prepare(few, None, UNDIRECTED, folder / "small", sizes=MODEST)
    reset_peak()
    before = resident_bytes()
    graph = prepare(parts, None, UNDIRECTED, folder / "large", sizes=MODEST)
print(graph.n_nodes, graph.n_edges, peak_bytes() - before)
"""

UNDIRECTED = ReadOptions(kind="undirected")


@pytest.mark.slow
@pytest.mark.parametrize("n_parts", [1, 4])
def test_a_table_larger_than_the_memory_that_is_taken(tmp_path: Path, n_parts: int) -> None:
    draws = np.random.default_rng(0)
    parts, few = tmp_path / "parts", tmp_path / "few"
    few.mkdir()
    parts.mkdir()
    for k in range(n_parts):
        ends = draws.integers(0, N_NODES, (N_ROWS // n_parts, 2))
        columns = zip(("source", "target"), ends.T, strict=True)
        names = [pl.Series(name, column).cast(pl.String) for name, column in columns]
        frame = pl.DataFrame([("protein number " + name).alias(name.name) for name in names])
        frame.write_csv(parts / f"{k}.csv")
        frame.head(1_000).write_csv(few / f"{k}.csv")
    n_bytes = sum(path.stat().st_size for path in parts.iterdir())
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(parts), str(few), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    n_nodes, n_edges, n_taken = map(int, told)
    assert n_nodes == N_NODES
    assert n_edges > 0.99 * N_ROWS
    assert n_taken < n_bytes
