"""One graph written in many ways: rows in any order, ends swapped, another row order of the node table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support.odd import LEAST
from tests.support.planted import planted_graph

# As settings of the command; methods take those that they have.
BUDGET = LEAST | {"max_epochs": 12, "min_epochs": 12, "n_epochs": 4, "n_trees": 12}


def write_graph(folder: Path, order: int | None, *, swap: bool = True) -> None:
    """edges.csv, nodes.csv and absent.csv of one graph, with repeats, loops, weights, missing attributes and names
    that are no numbers; `order` None writes them as they come, a number shuffles rows by it, and ends with `swap`.
    """
    graph = planted_graph(15, 3, 0.5, 0.05, seed=4)
    names = [f"{'Äbc'[k % 3]}{k * 7919 % 100:02d}-{k}" for k in range(graph.n_nodes)]
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 9, graph.n_edges) / 4
    rows = [[names[i], names[j], str(w)] for (i, j), w in zip(graph.edges.tolist(), weights, strict=True)]
    rows += [[b, a, w] for a, b, w in rows[:9]] + rows[5:8] + [[names[3], names[3], "1"]]
    colours, kinds = ("red", "green", "", "blue"), ("old oak", "young oak", "birch", "", "young birch")
    nodes = [
        [
            name,
            colours[k * k % 4],
            str(round(k**1.5 / 7, 3)) if k % 6 else "",
            f"{kinds[k % 5]} {kinds[k * k % 5]}",
        ]
        for k, name in enumerate(names[:-2])
    ]
    free = [pair for pair in np.stack(np.triu_indices(15, k=1), axis=1) if not graph.has_edges(pair[None])[0]]
    absent = [[names[i], names[j]] for i, j in free[:6]]
    if order is not None:
        rows, nodes, absent = (_shuffled(own, order + k) for k, own in enumerate((rows, nodes, absent)))
    if order is not None and swap:
        rows, absent = _swapped(rows, order), _swapped(absent, order)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "edges.csv", ["source", "target", "weight"], rows)
    _write(folder / "nodes.csv", ["id", "colour", "size", "kind"], nodes)
    _write(folder / "absent.csv", ["source", "target"], absent)


def _shuffled(rows: list[list[str]], order: int) -> list[list[str]]:
    return [rows[k] for k in np.random.default_rng(order).permutation(len(rows))]


def _swapped(rows: list[list[str]], order: int) -> list[list[str]]:
    """Half of the pairs the other way round, all rows of a pair alike: repeats and reversed repeats stay what they
    are.
    """
    pairs = sorted({frozenset(row[:2]) for row in rows}, key=sorted)
    swap = dict(zip(pairs, np.random.default_rng(order).random(len(pairs)) < 0.5, strict=True))
    return [[row[1], row[0], *row[2:]] if swap[frozenset(row[:2])] else row for row in rows]


def _write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    path.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")


def command(method: str, parameters: tuple[str, ...], threads: int = 1, kind: str = "undirected") -> list[str]:
    """`find` on these files, with all that it can write."""
    settings = [f"{method}.{key}={value}" for key, value in BUDGET.items() if key in parameters]
    return [
        *(
            "find",
            "edges.csv",
            f"--{kind}",
            "--nodes",
            "nodes.csv",
            "--known-absent",
            "absent.csv",
            "--out",
            "out",
        ),
        *("--column", "kind=text", "--top", "80", "--method", method, "--seed", "2", "--threads", str(threads)),
        *(word for setting in settings for word in ("--set", setting)),
    ]


def written(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
