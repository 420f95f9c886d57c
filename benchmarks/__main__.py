"""`python -m benchmarks [PART ...]`: measure, write results/PART.json and the pictures.

Parts: pyg, limit, growth, all-pairs, from-file, heuristics, plus, plus-growth, labels, memory, memory-check,
planted, removed, printed, curve, seeds, kinds, review, first-answer, cluster-plus, group, group-cost;
without a name all.
`plus --against REVISION` measures `find` of this revision and of that one, and writes results/plus-against.json.
`--large` adds 1e8 edges to growth and 1e7 to plus-growth; `--clock` leaves the AUROC of pyg as it was. `memory`
writes the prices by which `pulink estimate` judges, too; with `--methods=NAME,NAME` it measures these alone.
Options of `kinds` are in benchmarks/kinds/part.py, those of `review` in benchmarks/review/simulate.py.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import held_out_curve, seed_spread
from benchmarks.cluster_plus import cluster_plus
from benchmarks.first_answer import first_answer
from benchmarks.group.cost_told import group_cost
from benchmarks.group.efficiency import efficiency
from benchmarks.kinds.part import kinds
from benchmarks.measure import in_own_process
from benchmarks.memory import memory
from benchmarks.memory_check import memory_check
from benchmarks.pictures import draw_growth, draw_pyg
from benchmarks.planted_answers import planted_answers
from benchmarks.plus_against import plus_against
from benchmarks.plus_growth import plus_growth
from benchmarks.removed_links import removed_links
from benchmarks.review.simulate import review
from pulink.data.catalog import datasets
from pulink.methods.registry import GROUPS
from pulink.system.files import write_atomically

RESULTS = Path(__file__).resolve().parent / "results"
THREADS = 1


def pyg() -> dict[str, Any]:
    """Processor seconds per epoch and E-step, peak memory, and AUROC after equal epochs, against PyG."""
    before = json.loads((RESULTS / "pyg.json").read_text()) if (RESULTS / "pyg.json").exists() else {}
    # (dataset, epochs of either side for the clock)
    rows = []
    for name, epochs in (("chameleon", 40), ("pubmed", 20), ("facebook", 10), ("physics", 4)):
        if not datasets()[name].available:
            continue
        row: dict[str, Any] = {"dataset": name, "epochs": epochs}
        row["pulink"] = in_own_process("benchmarks.pulink_side", THREADS, dataset=name, seed=0, epochs=epochs)
        # Dense N x N steps of Facebook and Physics need tens of gigabytes: only the hub rows are run there.
        for rival in ("dense", "authors", "hubs") if name in ("chameleon", "pubmed") else ("hubs",):
            arguments = {"dataset": name, "seed": 0, "epochs": epochs, "e_step": rival}
            row[rival] = in_own_process("benchmarks.pyg_rival", THREADS, **arguments)
            row[f"times_{rival}"] = outer_iteration(row[rival]) / outer_iteration(row["pulink"])
            row[f"memory_{rival}"] = row["pulink"]["peak_mb"] / row[rival]["peak_mb"]
        rows.append(row)
    kept = before.get("accuracy", []) if "--clock" in sys.argv else []
    return {"rows": rows, "accuracy": kept or accuracy()}


def accuracy() -> list[dict[str, Any]]:
    """AUROC after two outer iterations of 100 epochs, three seeds, both sides."""
    rows = []
    for name in ("chameleon", "pubmed"):
        if not datasets()[name].available:
            continue
        sides = {
            side: [
                in_own_process(f"benchmarks.{side}", THREADS, dataset=name, seed=seed, epochs=100, e_step="hubs")[
                    "auroc"
                ]
                for seed in range(3)
            ]
            for side in ("pulink_side", "pyg_rival")
        }
        rows.append({"dataset": name} | sides)
    return rows


def outer_iteration(side: dict[str, Any]) -> float:
    """200 epochs of the second iteration and one E-step."""
    return 200 * float(side["epoch_2"]) + float(side["e_step"])


def limit() -> dict[str, Any]:
    """The epoch against its bare products and gathers."""
    names = [name for name in ("chameleon", "pubmed", "facebook", "physics") if datasets()[name].available]
    return {"rows": [{"dataset": n} | in_own_process("benchmarks.limit", THREADS, dataset=n) for n in names]}


def growth() -> dict[str, Any]:
    """Generated power-law graphs, average degree 40, without features and with 128 dense ones."""
    before = json.loads((RESULTS / "growth.json").read_text()) if (RESULTS / "growth.json").exists() else {}
    rows = [row for row in before.get("rows", []) if row["asked"] == 10**8 and "--large" not in sys.argv]
    sizes = [10**5, 10**6, 10**7] + ([10**8] if "--large" in sys.argv else [])
    for n_features in (0, 128):
        for size in sizes if n_features == 0 else sizes[:3]:
            arguments = {"n_edges": size, "n_features": n_features, "epochs": 5}
            rows.append(
                {"asked": size, "n_features": n_features}
                | in_own_process("benchmarks.growth", THREADS, **arguments)
            )
    rows.sort(key=lambda row: (row["n_features"], row["asked"]))
    exponents = {
        f"{measure}, {n_features} features": exponent([r for r in rows if r["n_features"] == n_features], measure)
        for n_features in (0, 128)
        for measure in ("epoch_1", "epoch_2", "e_step", "iteration_2")
    }
    return {"rows": rows, "exponents": exponents}


def exponent(rows: list[dict[str, Any]], measure: str) -> float:
    """Slope of log(measure) over log(edges)."""
    done = [row for row in rows if "failed" not in row]
    edges, values = ([float(row[key]) for row in done] for key in ("n_edges", measure))
    return float(np.polyfit(np.log(edges), np.log(values), 1)[0])


def all_pairs() -> dict[str, Any]:
    """Exact top K over all pairs against the bare product."""
    rows = []
    for equal_norms in (False, True):
        arguments = {"n_nodes": 100_000, "k": 100_000, "equal_norms": equal_norms}
        rows.append({"equal_norms": equal_norms} | in_own_process("benchmarks.all_pairs", THREADS, **arguments))
    return {"rows": rows}


def from_file() -> dict[str, Any]:
    """Ten million edges from CSV to result."""
    return {"rows": [in_own_process("benchmarks.from_file", THREADS, n_edges=10**7, epochs=3)]}


def heuristics() -> dict[str, Any]:
    """Ten million pairs of Facebook by each heuristic, against NetworkX, and the best of all pairs."""
    if not datasets()["facebook"].available:
        return {"rows": []}
    rows = []
    for name in GROUPS["heuristics"]:
        arguments = {"dataset": "facebook", "method": name, "n_pairs": 10**7, "sample": 20_000, "k": 10_000}
        rows.append({"method": name} | in_own_process("benchmarks.heuristics", THREADS, **arguments))
    return {"rows": rows}


def plus() -> dict[str, Any]:
    """`find` by PULL+, in processor seconds by part, beside PULL."""
    names = [name for name in ("sample", "chameleon", "facebook") if datasets()[name].available]
    return {"rows": [{"dataset": n} | in_own_process("benchmarks.plus_parts", THREADS, dataset=n) for n in names]}


def labels() -> dict[str, Any]:
    """What expected labels bring to PULL+, beside better ones: average precision of the test edges."""
    wanted = "chameleon", "twitch-ptbr", "cora", "citeseer", "lastfm-asia", "usair", "celegans", "router"
    names = [name for name in wanted if datasets()[name].available]
    tasks = [{"dataset": name, "seed": seed} for name in names for seed in range(10)]
    return {"rows": [task | in_own_process("benchmarks.expected_labels", 1, **task) for task in tasks]}


def printed() -> dict[str, Any]:
    """Whether the probabilities that `find` prints come true, where a tenth of the edges is hidden."""
    names = [name for name in ("usair", "celegans", "chameleon") if datasets()[name].available]
    tasks = [
        {"dataset": name, "method": method, "seed": seed}
        for name in names
        for method in ("pull-plus", "pull")
        for seed in range(3)
    ]
    return {"rows": [task | in_own_process("benchmarks.printed_probabilities", 1, **task) for task in tasks]}


def curve() -> dict[str, Any]:
    """Whether the smooth curve of probabilities is likelier than steps, on held-out edges."""
    tasks = [{"dataset": name, "seed": 0} for name in held_out_curve.GRAPHS if datasets()[name].available]
    return {"rows": [task | in_own_process("benchmarks.held_out_curve", 1, **task) for task in tasks]}


def seeds() -> dict[str, Any]:
    """How much of what `find` says of small graphs hangs on its seed, over ten seeds."""
    rows = []
    for name in seed_spread.GRAPHS:
        if name in datasets() and not datasets()[name].available:
            continue
        runs = [in_own_process("benchmarks.seed_spread", 1, dataset=name, seed=seed) for seed in range(10)]
        rows.append({"dataset": name, "n_seeds": len(runs)} | seed_spread.spread(runs))
    return {"rows": rows}


def group() -> dict[str, Any]:
    """PULL by groups of one and two processes, against one process without a group."""
    return {"rows": [efficiency()]}


PARTS = {
    "pyg": pyg,
    "limit": limit,
    "growth": growth,
    "all-pairs": all_pairs,
    "from-file": from_file,
    "heuristics": heuristics,
    "plus": plus,
    "plus-growth": plus_growth,
    "labels": labels,
    "memory": memory,
    "memory-check": memory_check,
    "planted": planted_answers,
    "removed": removed_links,
    "printed": printed,
    "curve": curve,
    "seeds": seeds,
    "kinds": kinds,
    "review": review,
    "first-answer": first_answer,
    "cluster-plus": cluster_plus,
    "group": group,
    "group-cost": group_cost,
}


def against() -> int:
    """Only what `--against REVISION` asks for."""
    place = sys.argv.index("--against")
    if sys.argv[1:place] != ["plus"] or len(sys.argv) != place + 2:
        sys.exit("usage: python -m benchmarks plus --against REVISION")
    result = plus_against(sys.argv[place + 1])
    write_atomically(RESULTS / "plus-against.json", json.dumps(result, indent=1) + "\n")
    return 0


def main() -> None:
    if "--against" in sys.argv:
        sys.exit(against())
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")] or list(PARTS)
    for name in wanted:
        if name not in PARTS:
            sys.exit(f"unknown part {name!r}; known: {', '.join(PARTS)}")
        print(f"{name}: {PARTS[name].__doc__}", flush=True)
        result = PARTS[name]() | {
            "threads": THREADS,
            "processor": platform.machine(),
            "python": platform.python_version(),
        }
        if not result["rows"]:
            print("  nothing was measured (are the datasets there?); earlier results stay", flush=True)
            continue
        write_atomically(RESULTS / f"{name}.json", json.dumps(result, indent=1) + "\n")
        for row in result["rows"]:
            print("  " + json.dumps(rounded(row)), flush=True)
        if "exponents" in result:
            print("  exponents: " + json.dumps(rounded(result["exponents"])), flush=True)
    if (RESULTS / "pyg.json").exists():
        draw_pyg(json.loads((RESULTS / "pyg.json").read_text()), RESULTS / "pyg.png")
    if (RESULTS / "growth.json").exists():
        draw_growth(json.loads((RESULTS / "growth.json").read_text()), RESULTS / "growth.png")


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


if __name__ == "__main__":
    main()
