"""A CSV of ten million edges: reading against polars, and where the time of find and evaluate goes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import polars as pl

import pulink
from benchmarks.measure import finish, own_arguments
from pulink.data.generated import power_law_graph
from pulink.evaluation import run_once


def main() -> None:
    wanted = own_arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.csv"
        generated = power_law_graph(wanted["n_edges"], wanted["n_edges"] // 20)
        pl.DataFrame(generated.edges, schema=["source", "target"]).write_csv(path)
        del generated
        small = Path(folder) / "small.csv"
        small.write_text("source,target\n1,2\n2,3\n")
        pulink.read(small)
        figures = {
            "polars_whole_numbers": _timed(lambda: _count_ids(pl.read_csv(path))),
            "polars_text": _timed(lambda: _count_ids(pl.read_csv(path, infer_schema=False))),
            "read": _timed(lambda: pulink.read(path)),
        }
        graph = pulink.read(path)
    figures["ratio_whole_numbers"] = figures["read"] / figures["polars_whole_numbers"]
    figures["ratio_text"] = figures["read"] / figures["polars_text"]
    model = pulink.PULL(n_epochs=wanted["epochs"], max_iterations=2, threads=wanted["threads"])
    started = time.perf_counter()
    model.fit(graph)
    figures["find_fit"] = time.perf_counter() - started
    figures["find_search"] = _timed(lambda: model.missing_links(100))
    started = time.perf_counter()
    split = pulink.split(graph)
    figures["evaluate_split"] = time.perf_counter() - started
    started = time.perf_counter()
    run = run_once(
        "pull", pulink.PULL(n_epochs=wanted["epochs"], max_iterations=2, threads=wanted["threads"]), split, 0
    )
    figures["evaluate_fit"] = run.seconds
    figures["evaluate_score"] = time.perf_counter() - started - run.seconds
    finish(**figures)


def _count_ids(frame: pl.DataFrame) -> int:
    return pl.concat([frame["source"], frame["target"]]).n_unique()


def _timed(call: object) -> float:
    started = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
