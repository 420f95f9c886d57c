"""Memory and processor time of every method on graphs of ten sizes, and the prices that follow from them.

Each method runs in a process of its own (`memory_run.py`), with few epochs, which leaves the peak as it is.
Prices are at least 0 and minimise squares of relative errors, of the peak and of the time. What a gradient step
takes also rests on the runs in `results/`, which trained as long as methods do by default.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Container, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

import pulink
from benchmarks.measure import ROOT, in_own_process
from pulink.data.catalog import datasets
from pulink.graph.graph import Graph
from pulink.graph.split import split
from pulink.methods.heuristics.base import Heuristic
from pulink.methods.heuristics.row_search import RowHeuristic
from pulink.methods.heuristics.shared_neighbours import SharedNeighbours
from pulink.methods.registry import METHODS, Method
from pulink.predictor.costs import STEPS, Sizes
from pulink.system.files import write_atomically

Prices = dict[str, float]

PRICES = ROOT / "src" / "pulink" / "predictor" / "costs.json"
RUNS = ROOT / "results"

# A heuristic without prices of its own takes those of its family.
FAMILIES: tuple[type[Heuristic], ...] = (SharedNeighbours, RowHeuristic)

# (nodes, edges, features, stored features of a node; 0: all of them)
SIZES = (
    (100, 400, 0, 0),
    (300, 3_000, 50, 0),
    (1_000, 4_000, 0, 0),
    (2_000, 40_000, 1_000, 20),
    (5_000, 10_000, 0, 0),
    (10_000, 60_000, 128, 0),
    (20_000, 40_000, 2_000, 50),
    (20_000, 300_000, 0, 0),
    (50_000, 200_000, 300, 0),
    (100_000, 600_000, 0, 0),
)
# Slower methods are measured on graphs with this share of the nodes and of the edges.
SHARES = dict.fromkeys(("katz", "ppr", "l3", "l3n", "buddy", "ncn", "neo-gnn"), 0.3)
SHARES |= {"ps2": 0.1, "pull-plus": 0.1, "seal": 0.05}
LEAST_NODES, LEAST_EDGES = 50, 100
# Few epochs and trees, but all iterations of PULL: the expected graph grows with each.
HASTE = {
    "max_epochs": 2,
    "min_epochs": 1,
    "check_every": 1,
    "search_epochs": 2,
    "n_epochs": 2,
    "n_trees": 20,
    "max_rounds": 1,
}
FEW_HIDDEN = 0.01
PLAINEST = "gcn-ce"
# One size more, where edges outweigh nodes, or nodes outweigh candidates; and settings for it.
MORE: dict[str, tuple[tuple[int, int, int, int], dict[str, Any]]] = {
    PLAINEST: ((5_000, 1_000_000, 0, 0), {}),
    "pull-plus": ((20_000, 15_000, 0, 0), {"max_folds": 1}),
}

BYTES = (
    "one", "edges", "vectors", "weights", "entries", "searched", "candidates", "hops", "sketches", "batch",
    "common",
)  # fmt: skip
# What these hold for edges, nodes or pairs is what the plainest encoder holds (nothing for pairs). Graphs of a few
# thousand nodes could not tell it from batches and sketches.
FIXED = {"buddy": ("vectors",), "ps2": ("edges",), "seal": ("edges", "vectors", "searched")}
# Lists are the peak only where nothing is trained.
UNTRAINED_BYTES = ("one", "edges", "vectors", "listed")
SECONDS = (
    "edges", "listed", "cells", "wedges", "walks", "searched", "alike", "subgraphs", "weighed", "lessons",
    "tree_rows", "tree_reads", "net_units", "signalled", "signalled_around", "attributed", "attributed_around",
    "ranked", "pushed", "view_candidates", "view_cells", "view_near", "view_walks", "view_wedges", "view_messages",
    "view_columns",
)  # fmt: skip
# Of these the runs in `results/` know nothing: their time is that of the fit alone.
SEARCHES = ("listed", "cells", "wedges", "walks", "searched")
# With fewer of them it is not known how the time of a step grows.
ENOUGH_FITS = 3
STEP_SECONDS = ("one", "messages", "vectors", "products", "batch")


def memory() -> dict[str, Any]:
    """Peak memory and processor time of `find` by every method on ten sizes, and the prices in costs.json."""
    before = ROOT / "benchmarks" / "results" / "memory.json"
    known = json.loads(before.read_text())["rows"] if before.exists() else []
    wanted = _wanted()
    rows = [row for row in known if row["method"] in METHODS and row["method"] not in wanted]
    for name in wanted:
        rows += measured(METHODS[name])
    order = list(METHODS)
    rows.sort(key=lambda row: order.index(row["method"]))
    prices = all_prices(rows)
    prices += [family_prices(family, prices) for family in FAMILIES]
    text = ",\n".join(json.dumps(row) for row in prices)
    write_atomically(PRICES, f'{{"prices": [\n{text}\n]}}\n')
    return {"rows": rows}


def _wanted() -> list[str]:
    """All methods, or those that --methods=NAME,NAME names; of the others the figures of before are taken."""
    chosen = [word.partition("=")[2].split(",") for word in sys.argv if word.startswith("--methods=")]
    return chosen[0] if chosen else list(METHODS)


def measured(entry: Method) -> list[dict[str, Any]]:
    """A row per size; one more that trains as long as by default, or two with few hidden edges if none trains."""
    settings = hasty(entry)
    sizes = [scaled(size, SHARES.get(entry.name, 1.0)) | {"settings": settings} for size in SIZES]
    if settings:
        sizes.append(sizes[2] | {"settings": {"n_splits": 1} if entry.predictor.averages_splits else {}})
    else:
        sizes += [size | {"settings": {"val_ratio": FEW_HIDDEN}} for size in (sizes[7], sizes[9])]
    if entry.name in MORE:
        size, more = MORE[entry.name]
        sizes.append(scaled(size, 1.0) | {"settings": settings | more})
    done = in_own_process("benchmarks.memory_run", 1, method=entry.name, sizes=sizes)
    return list(done["rows"])


def hasty(entry: Method) -> dict[str, Any]:
    """Settings of short work; none where nothing is trained."""
    known = entry.predictor.parameter_names()
    settings = {name: value for name, value in HASTE.items() if name in known}
    # What a fit costs is told for each of its splits.
    settings |= {"n_splits": 1} if entry.predictor.averages_splits else {}
    return settings | ({"patience": 100} if "max_iterations" in known else {})


def scaled(size: tuple[int, int, int, int], share: float) -> dict[str, int]:
    """A size with a share of its nodes and edges."""
    n_nodes, n_edges, n_features, per_node = size
    return {
        "n_nodes": max(round(share * n_nodes), LEAST_NODES),
        "n_edges": max(round(share * n_edges), LEAST_EDGES),
        "n_features": n_features,
        "per_node": per_node,
    }


def all_prices(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of costs.json.

    Whatever is trained holds as much for each edge as the plainest encoder does, and a step takes as long, unless
    runs of before say otherwise.
    """
    by_method = {name: [row for row in rows if row["method"] == name and "refused" not in row] for name in METHODS}
    by_method["pull-plus"] = by_method["pull-plus"] + _grown()
    plainest = priced(METHODS[PLAINEST], by_method[PLAINEST], {"bytes": {}, "fixed": {}, "seconds": {}})
    least = {
        "bytes": {"edges": plainest["bytes"]["edges"]},
        "fixed": plainest["bytes"],
        "seconds": {
            f"{STEPS}.{name}": plainest["step_seconds"][name] for name in ("messages", "vectors", "products")
        },
    }
    return [priced(entry, by_method[name], least) for name, entry in METHODS.items()]


def _grown() -> list[dict[str, Any]]:
    """Runs of PULL+ on graphs of up to ten million edges (plus-growth)."""
    before = ROOT / "benchmarks" / "results" / "plus-growth.json"
    rows = json.loads(before.read_text())["rows"] if before.exists() else []
    return [row | {"seconds": row["total"], "peak": row["peak_mb"] * 1e6} for row in rows if "sizes" in row]


def family_prices(family: type[Heuristic], prices: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a heuristic of this family costs that nobody measured: the most bytes, the middle of the seconds."""
    kinds = {entry.predictor.__name__ for entry in METHODS.values() if issubclass(entry.predictor, family)}
    family_rows = [row for row in prices if row["kind"] in kinds]

    def of_all(what: str, choose: Callable[[list[float]], float]) -> Prices:
        names = dict.fromkeys(name for row in family_rows for name in row[what])
        found = {name: choose([row[what].get(name, 0.0) for row in family_rows]) for name in names}
        return {name: price for name, price in found.items() if price > 0}

    return {
        "kind": family.__name__,
        "settings": {},
        "bytes": of_all("bytes", max),
        "seconds": of_all("seconds", statistics.median_high),
        "step_seconds": {},
    }


def priced(entry: Method, rows: Sequence[dict[str, Any]], least: dict[str, Prices]) -> dict[str, Any]:
    """A row of costs.json, with prices of at least so much where something is trained."""
    trained = any(row["n_steps"] for row in rows)
    peaks = np.array([row["peak"] for row in rows], dtype=np.float64)
    added = peaks - [row["bare"] + row["graph"] for row in rows]
    names = BYTES if trained else UNTRAINED_BYTES
    table = _table(names, [row["sizes"] for row in rows])
    fixed = {name: least["fixed"].get(name, 0.0) for name in FIXED.get(entry.name, ())}
    bounds = least["bytes"] | fixed if trained else {}
    seconds = _prices_of_time(entry, rows, least["seconds"] if trained else {})
    mark = f"{STEPS}."
    return {
        "kind": entry.predictor.__name__,
        "settings": entry.settings,
        "bytes": least_squares(names, table, added, peaks, bounds, fixed),
        "seconds": {name: price for name, price in seconds.items() if not name.startswith(mark)},
        "step_seconds": {name[len(mark) :]: price for name, price in seconds.items() if name.startswith(mark)},
    }


def _prices_of_time(entry: Method, rows: Sequence[dict[str, Any]], least: Prices) -> Prices:
    fits = _fits_of_before(entry)
    sizes = [row["sizes"] for row in rows] + [fit["sizes"] for fit in fits]
    steps = np.array([row["n_steps"] for row in [*rows, *fits]], dtype=np.float64)
    taken = np.array([row["seconds"] for row in [*rows, *fits]], dtype=np.float64)
    names = [*SECONDS, *(f"{STEPS}.{name}" for name in STEP_SECONDS)]
    table = np.hstack([_table(SECONDS, sizes), steps[:, None] * _table(STEP_SECONDS, sizes)])
    # Shares of less than a second say nothing.
    found = least_squares(names, table, taken, taken + 1.0, least if len(fits) < ENOUGH_FITS else {}, ())
    # The first and smallest graph of a process pays for what is loaded when it is first used.
    return {"one": round(rows[0]["seconds"], 2)} | found


def _fits_of_before(entry: Method) -> list[dict[str, Any]]:
    """Fits in `results/` with the method's own settings: of each dataset the median over seeds."""
    rows = []
    for name, runs in _runs_of_before(entry.name).items():
        dataset = datasets().get(name)
        if dataset is not None and dataset.available:
            seconds, n_steps = np.median([(run["cpu_seconds"], run["n_steps"]) for run in runs], axis=0).tolist()
            sizes = entry.make(refit=False).sizes(_shown(name)) | dict.fromkeys(SEARCHES, 0.0)
            rows.append({"sizes": sizes, "seconds": seconds, "n_steps": n_steps})
    return rows


def _runs_of_before(method: str) -> dict[str, list[dict[str, Any]]]:
    """Runs by dataset: those of experiments, and of `pulink evaluate`."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(RUNS.glob(f"*/{method}/missing-0.1-seed-*.json")):
        if run := json.loads(path.read_text()).get("run"):
            found.setdefault(path.parts[-3], []).append(run)
    for path in sorted(RUNS.glob("evaluate/*.json")):
        content = json.loads(path.read_text())
        found.setdefault(content["edges"], []).extend(run for run in content["runs"] if run["method"] == method)
    return {name: runs for name, runs in found.items() if runs}


@cache
def _shown(name: str) -> Graph:
    """The training graph of a dataset."""
    return split(pulink.load(name), val=0.1, test=0.1, seed=0).train


def _table(names: Sequence[str], sizes: Sequence[Sizes]) -> npt.NDArray[np.float64]:
    return np.array([[row.get(name, 0.0) for name in names] for row in sizes], dtype=np.float64)


def least_squares(
    names: Sequence[str],
    table: npt.NDArray[np.float64],
    wanted: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
    least: Prices,
    fixed: Container[str],
) -> Prices:
    """Prices by name: table · prices is close to `wanted`, in shares of `scale`.

    least  prices of at least so much; of at least 0 without
    fixed  prices that are exactly what `least` says
    """
    bounds = np.array([least.get(name, 0.0) for name in names])
    free = np.array([name not in fixed for name in names])
    shares = np.where(free, table / scale[:, None], 0.0)
    largest = np.maximum(shares.max(axis=0), 1e-300)
    found, _ = nnls(shares / largest, (wanted - table @ bounds) / scale)
    prices = np.where(table.any(axis=0), found / largest + bounds, 0.0)
    return {name: float(f"{price:.3g}") for name, price in zip(names, prices, strict=True) if price > 0}


def ratios(rows: Sequence[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """By method the smallest and the largest ratio of the estimated to the measured peak."""
    found: dict[str, list[float]] = {}
    kept = {
        (row["kind"], json.dumps(row["settings"])): row["bytes"]
        for row in json.loads(PRICES.read_text())["prices"]
    }
    for row in rows:
        if "refused" in row:
            continue
        entry = METHODS[row["method"]]
        prices = kept[entry.predictor.__name__, json.dumps(entry.settings)]
        added = sum(price * row["sizes"].get(name, 0.0) for name, price in prices.items())
        found.setdefault(row["method"], []).append((row["bare"] + row["graph"] + added) / row["peak"])
    return {name: (min(values), max(values)) for name, values in found.items()}
