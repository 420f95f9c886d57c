"""`python -m benchmarks kinds`: every method on five splits of the four graphs.

Each run is a file of its own, results/kinds/GRAPH/METHOD-SEED.json, and is not repeated where it is there; --anew
repeats it. --rivals leaves out ours; --methods=NAME,NAME and --graphs=NAME,NAME choose, and any method of pulink
may be named. The tables are in results/kinds.md, made of all files that are there.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.kinds.graphs import GRAPHS, path_of
from benchmarks.kinds.methods import OURS, rivals
from benchmarks.kinds.summary import markdown, means
from benchmarks.measure import in_own_process
from pulink.system.files import write_atomically

RESULTS = Path(__file__).resolve().parent.parent / "results"
SEEDS = range(5)
THREADS = 1


def kinds() -> dict[str, Any]:
    """Rivals and ours on directed and two-sided graphs, on the same five splits."""
    for graph in _chosen("graphs", GRAPHS):
        if not path_of(graph).exists():
            print(f"  {graph}: skipped, {path_of(graph)} is not there", flush=True)
            continue
        ours = () if "--rivals" in sys.argv else OURS
        for method in _chosen("methods", (*rivals(graph), *ours)):
            for seed in SEEDS:
                _run(graph, method, seed)
    runs = stored_runs(RESULTS / "kinds")
    write_atomically(RESULTS / "kinds.md", markdown(runs))
    return {"rows": means(runs)}


def _chosen(option: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """What --option=NAME,NAME names, or all."""
    named = [word.partition("=")[2].split(",") for word in sys.argv if word.startswith(f"--{option}=")]
    return tuple(named[0]) if named else otherwise


def _run(graph: str, method: str, seed: int) -> None:
    """One run, unless its file is there; what fails leaves no file, and is tried again the next time."""
    path = RESULTS / "kinds" / graph / f"{method}-{seed}.json"
    if path.exists() and "--anew" not in sys.argv:
        return
    if method == "als" and importlib.util.find_spec("implicit") is None:
        print(f"  {graph}, split {seed}: als skipped, implicit is not installed (extra rivals)", flush=True)
        return
    task = {"dataset": graph, "method": method, "seed": seed}
    found = in_own_process("benchmarks.kinds.run", THREADS, **task)
    if "failed" in found:
        print(f"  {graph}, split {seed}: {method} failed, {found['failed']}", flush=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(task | found | {"threads": THREADS}, indent=1) + "\n")


def stored_runs(folder: Path) -> list[dict[str, Any]]:
    """All runs that are there, in the order of graphs, methods and seeds."""
    runs = [json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))]
    return [run for graph in GRAPHS for run in sorted_runs(graph, runs)]


def sorted_runs(graph: str, runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs of a graph: ours first, rivals as they are listed, any others at the end."""
    order = [*OURS, *(name for name in rivals(graph) if name not in OURS)]
    others = sorted({run["method"] for run in runs} - set(order))
    places = {name: place for place, name in enumerate([*order, *others])}
    chosen = [run for run in runs if run["dataset"] == graph]
    return sorted(chosen, key=lambda run: (places[run["method"]], run["seed"]))
