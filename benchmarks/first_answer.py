"""How long it takes from typing `pulink find FILE` to the first link, for files as people have them.

`python -m benchmarks.first_answer` writes results/first-answer.json, from which `page_tables` makes the table of
docs/performance.md. The graphs are real ones of the catalogue, written as five sources and programs write theirs.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pulink.data.catalog import datasets, load
from pulink.graph.graph import Graph
from pulink.system.files import write_atomically

RESULTS = Path(__file__).resolve().parent / "results" / "first-answer.json"
METHODS = ("pull-plus", "l3n")
# Seconds after which nobody waits for one answer.
_PATIENCE = 1_200


def string(graph: Graph) -> str:
    """Protein links of STRING: blanks, a header, scores, each link both ways."""
    rows = [(f"9606.ENSP{a:011d}", f"9606.ENSP{b:011d}", 150 + (7 * a + b) % 850) for a, b in graph.edges.tolist()]
    both = [row for a, b, score in rows for row in (f"{a} {b} {score}", f"{b} {a} {score}")]
    return "\n".join(["protein1 protein2 combined_score", *both]) + "\n"


def movielens(graph: Graph) -> str:
    """Ratings of MovieLens: commas, users and movies numbered apart."""
    least = graph.edges.min(axis=0) - 1
    rows = [
        f"{a - least[0]},{b - least[1]},{1 + (a + b) % 5}.0,{964_982_703 + a}" for a, b in graph.edges.tolist()
    ]
    return "\n".join(["userId,movieId,rating,timestamp", *rows]) + "\n"


def snap(graph: Graph) -> str:
    """SNAP: names of the columns in a comment, tabs."""
    comments = ["# Undirected graph", f"# Nodes: {graph.n_nodes} Edges: {graph.n_edges}", "# FromNodeId\tToNodeId"]
    return "\n".join([*comments, *(f"{a}\t{b}" for a, b in graph.edges.tolist())]) + "\n"


def excel(graph: Graph) -> str:
    """Excel where commas are decimal: semicolons, carriage returns, a line that names the separator."""
    rows = [f"Knoten {a};Knoten {b};{1 + (a + b) % 900},{(a * b) % 90 + 10}" for a, b in graph.edges.tolist()]
    return "\r\n".join(["sep=;", "Source;Target;Weight", *rows]) + "\r\n"


def gephi(graph: Graph) -> str:
    """The table of edges that Gephi exports."""
    rows = [f"n{a},n{b},Directed,{k},,,1.0" for k, (a, b) in enumerate(graph.edges.tolist())]
    return "\n".join(["Source,Target,Type,Id,Label,timeset,Weight", *rows]) + "\n"


FILES: tuple[tuple[str, str, str, Callable[[Graph], str]], ...] = (
    ("STRING", "usair", "9606.protein.links.txt", string),
    ("MovieLens", "flavor_bipartite", "ratings.csv", movielens),
    ("SNAP", "power", "graph.txt", snap),
    ("Excel", "celegans", "export.csv", excel),
    ("Gephi", "college_msg", "edges.csv", gephi),
)


def first_answer() -> dict[str, Any]:
    """Seconds until the first link, by the default method and by L3n, for five files as people have them."""
    rows = []
    load_before = os.getloadavg()[0]
    for called, dataset, file, written in FILES:
        if not datasets()[dataset].available:
            continue
        graph = load(dataset)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / file
            path.write_bytes(written(graph).encode())
            row: dict[str, Any] = {"file": called, "dataset": dataset, "n_nodes": graph.n_nodes}
            row |= {"n_edges": graph.n_edges, "n_bytes": path.stat().st_size}
            for method in METHODS:
                seconds, processor = seconds_to_first_link(path, method)
                row |= {method: seconds, f"{method}_processor": processor}
        rows.append(row)
    return {"rows": rows, "load_before": load_before, "load_after": os.getloadavg()[0]}


def seconds_to_first_link(path: Path, method: str) -> tuple[float | None, float]:
    """From starting the command to the first line below the header (None if there was none); processor seconds of
    the whole command, which depend less on who else uses the machine."""
    command = [sys.executable, "-m", "pulink", "find", path.name, "--method", method, "--top", "10"]
    started, used = time.perf_counter(), _processor_seconds()
    with subprocess.Popen(
        command, cwd=path.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        lines = [running.stdout.readline(), running.stdout.readline()]
        taken = time.perf_counter() - started
        running.communicate(timeout=_PATIENCE)
    return taken if lines[1].strip() else None, _processor_seconds() - used


def _processor_seconds() -> float:
    """Of all commands that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table(result: dict[str, Any]) -> str:
    """The rows as Markdown."""
    lines = [
        "| file | nodes | edges | `pulink find FILE` | processor | `--method l3n` | processor |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in result["rows"]:
        cells = [cell for method in METHODS for cell in (row[method], row[f"{method}_processor"])]
        seconds = " | ".join("none" if cell is None else f"{cell:.1f} s" for cell in cells)
        lines.append(f"| {row['file']} | {row['n_nodes']:,} | {row['n_edges']:,} | {seconds} |")
    said = (
        f"Load of the machine (two cores): {result['load_before']:.1f} before, {result['load_after']:.1f} after."
    )
    return "\n".join(lines) + f"\n\n{said}\n"


def main() -> None:
    result = first_answer()
    write_atomically(RESULTS, json.dumps(result, indent=1) + "\n")
    print(table(result))


if __name__ == "__main__":
    main()
