"""Tables of docs/distributed.md from results/group-cost.json, and what is assumed of machines elsewhere."""

from __future__ import annotations

from typing import Any

EDGES, WORKERS = (10**9, 10**10), (16, 64, 256)
# Edges and workers.
CHANGED = ((10**9, 64), (10**10, 256))
# Bytes per second.
NETWORKS = {"10 Gbit/s": 1.25e9, "100 Gbit/s": 1.25e10}
# Seconds of a small message; seconds between failures of one machine (a month); seconds until a group stands
# again, as measured (9 to 17); bytes per second of the storage that all share.
MACHINES = {"latency": 5e-5, "between_failures": 30 * 86_400.0, "recovery": 13.0, "storage": 2e9}

Row = dict[str, Any]


def by_run(result: dict[str, Any]) -> str:
    """Runs that were held back."""
    lines = _head(["held back", "what", "measured", "told", "told / measured"])
    for row in result["held_back"]:
        called = _called(row)
        for key, name, written in (
            ("epoch_1_processor", "epoch, iteration 1, processor", _seconds),
            ("epoch_2_processor", "epoch, iteration 2, processor", _seconds),
            ("e_step_processor", "E-step, processor", _seconds),
            ("epoch_2_bytes", "bytes that a worker sends, iteration 2", _bytes),
        ):
            if row.get(key):
                ratio = f"{row[f'{key}_told'] / row[key]:.2f}"
                lines.append(_line(called, (name, written(row[key]), written(row[f"{key}_told"]), ratio)))
                called = ""
    return "\n".join(lines) + "\n"


def by_memory(result: dict[str, Any]) -> str:
    """The estimate of memory beside what workers of a whole `find` took."""
    lines = _head(
        ["edges, nodes, features", "workers", "iterations", "peak of one", "estimate", "estimate / peak"]
    )
    for row in result["peaks"]:
        graph = f"{row['n_edges']:,}, {row['n_nodes']:,}, {row['n_features']}"
        workers = f"{row['n_workers']}, {'one machine' if row['shares_memory'] else 'a machine each'}"
        peak, estimate = max(row["peak_mb"]), row["estimate_mb"]
        cells = (
            workers,
            f"{row['n_iterations']}",
            f"{peak:,} MB",
            f"{estimate:,.0f} MB",
            f"{estimate / peak:.2f}",
        )
        lines.append(_line(graph, cells))
    return "\n".join(lines) + "\n"


def by_size(result: dict[str, Any]) -> str:
    """What was told for graphs that do not fit here."""
    columns = [
        "edges, nodes",
        "workers, machines",
        "network",
        "epoch, iteration 1",
        "epoch, iteration 2",
        "E-step",
    ]
    columns += [
        "200 epochs and E-step",
        "of it checkpoints, restarts",
        "a machine sends, per epoch",
        "memory of a worker",
        "first bottleneck",
    ]
    lines = _head(columns)
    for row in result["told"]:
        graph = f"{_power(row['n_edges'])}, {_power(row['n_nodes'])}"
        hours = row["outer_iteration"] / 3600
        cells = (
            f"{row['n_workers']}, {row['n_machines']}",
            row["network"],
            *(_seconds(row[key]) for key in ("epoch_1", "epoch_2", "e_step")),
            f"{hours:.1f} h",
            f"{_seconds(row['checkpoints'])}, {_seconds(row['restarts'])}",
            _bytes(row["sent_per_machine"]),
            _bytes(row["worker_bytes"]),
            f"{row['bottleneck']} ({row['parts'][row['bottleneck']] / sum(row['parts'].values()):.0%})",
        )
        lines.append(_line(graph, cells))
    return "\n".join(lines) + "\n"


def by_change(result: dict[str, Any]) -> str:
    """Seconds of an epoch, and of its exchanges, one change after the other."""
    names = [f"{_power(one['n_edges'])} edges, {one['n_workers']} workers" for one in result["changes"]]
    lines = _head(["epoch of iteration 2, 100 Gbit/s (of it exchanging rows)", *names])
    for told in zip(*(one["rows"] for one in result["changes"]), strict=True):
        cells = [f"{_seconds(row['seconds'])} ({_seconds(row['exchanging'])})" for row in told]
        called = told[0]["change"] if len({row["change"] for row in told}) == 1 else _NEIGHBOURS
        lines.append(_line(called, cells))
    return "\n".join(lines) + "\n"


_NEIGHBOURS = "only rows of neighbours, of a graph without communities"


def _power(number: float) -> str:
    return f"{number:.0e}".replace("e+0", "e").replace("e+", "e")


def _called(row: Row) -> str:
    where = "one machine" if row["shares_memory"] else "a machine each"
    return (
        f"{_power(row['asked'])} edges, mean degree {row['mean_degree']}, {row['n_features']} features, "
        f"{row['n_workers']} workers, {where}"
    )


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value < 100 else f"{value:,.0f} s"


def _bytes(value: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e3:.3g} kB"


def _head(cells: list[str]) -> list[str]:
    return ["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells)]


def _line(name: str, cells: Any) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"
