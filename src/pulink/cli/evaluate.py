"""pulink evaluate: hide edges, train, and see how well they are found again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli import options
from pulink.cli.console import Bar, Screen
from pulink.cli.interrupts import stoppable, tell_of_others
from pulink.cli.rerun import command
from pulink.errors import InputError, ParameterError
from pulink.text import counted

if TYPE_CHECKING:
    from pulink.evaluation import LeftOut, Run
    from pulink.predictor.predictor import Progress, ProgressFunction

_FILES = _RECORD, _PAGE = "evaluation.json", "evaluation.html"


def evaluate(
    context: typer.Context,
    edges: options.Edges,
    nodes: options.Nodes = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="Methods and groups of them (all, paper, heuristics), separated by commas: see pulink methods.",
        ),
    ] = "pull-plus,pull,gcn-ce",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many splits and starts.")] = 1,
    val_ratio: Annotated[
        float, typer.Option("--val-ratio", min=0.0, max=1.0, help="Share of edges hidden to choose by.")
    ] = 0.1,
    test_ratio: Annotated[
        float, typer.Option("--test-ratio", min=0.0, max=1.0, help="Share of edges hidden to judge by.")
    ] = 0.1,
    control: Annotated[
        bool,
        typer.Option(help="Beside every PULL method, GCN+CE with as many gradient steps (gcn-ce@METHOD)."),
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            parser=options.named_folder,
            help="Write evaluation.json and evaluation.html here; a stopped run goes on.",
        ),
    ] = None,
    setting: options.Settings = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first seed.")] = 0,
    threads: options.Threads = None,
    source: options.Source = None,
    target: options.Target = None,
    weight: options.Weight = None,
    node_id: options.NodeId = None,
    header: options.Header = None,
    encoding: options.Encoding = "utf-8",
    column: options.Kinds = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Hide edges, train on the rest, and score how well the hidden ones are found.

    "AUROC, degree" is against non-edges with ends of the same degrees as the edges': degree alone scores 0.5.
    The calibration error is the mean distance between probabilities of 0.05 or more and the share of them that
    comes true. precision@K is over all unconnected pairs: the share of hidden edges among the K best, K = hidden
    edges. It is exact up to 200,000 nodes for most methods; the JSON says which pairs were searched. The fit's
    seconds and the process's peak memory stand beside the scores. Of a group, a method that cannot serve the graph
    is left out.
    """
    screen = Screen(quiet)
    names = list(dict.fromkeys(name.strip() for name in method.split(",") if name.strip()))
    if not names:
        raise ParameterError(f"--method needs at least one name, got {method!r}")
    options.check_files(edges, nodes)
    options.hold(context, out, _FILES)

    from pulink.engine.compile import announce_compiling
    from pulink.evaluation import evaluate as run_all
    from pulink.evaluation import summarise
    from pulink.methods.registry import GROUPS, expand, parse_settings
    from pulink.report.evaluation import evaluation_page
    from pulink.text import file_name

    chosen = expand(names)
    settings = parse_settings(setting or [])
    left_out: list[LeftOut] = []

    def leave_out(entry: LeftOut) -> None:
        if entry.method in names:
            raise InputError(f"{entry.method}: {entry.reason}")
        left_out.append(entry)
        screen.note(f"left out {entry.method}: {entry.reason}")

    with announce_compiling(screen.note), stoppable(out, screen, command(context)) as checkpoints:
        graph = options.open_graph(
            edges, nodes, source=source, target=target, weight=weight, node_id=node_id, header=header,
            encoding=encoding, kinds=column,
        )  # fmt: skip
        screen.note(options.describe(edges, graph))
        with screen.bar() as bar:
            runs = run_all(
                graph,
                chosen,
                seeds=seeds,
                first_seed=seed,
                val=val_ratio,
                test=test_ratio,
                threads=threads,
                controls=control,
                settings=settings,
                progress=_reporter(bar),
                on_run=lambda run: screen.note(_line(run)),
                on_left_out=leave_out if any(name in GROUPS for name in names) else None,
                checkpoints=checkpoints,
            )
        summary = summarise(runs)
        record: dict[str, Any] = {
            "edges": file_name(edges),
            "val_ratio": val_ratio,
            "test_ratio": test_ratio,
            "settings": settings,
            "left_out": [asdict(entry) for entry in left_out],
            "runs": [run.to_dict() for run in runs],
            "summary": summary,
        }
        title, columns, rows = _table(summary, runs[0].k)
        if out is not None:
            _write(out, record, evaluation_page(f"Methods on {file_name(edges)}", title, columns, rows, runs))
    if checkpoints is not None:
        tell_of_others(screen, checkpoints)
    if as_json:
        screen.json(record)
    else:
        screen.table(title, columns, rows, set(columns[1:]))


def _reporter(bar: Bar) -> Any:
    def start(method: str, seed: int) -> ProgressFunction:
        bar.restart()

        def show(progress: Progress) -> None:
            auroc = "" if progress.val_auroc is None else f", AUROC {progress.val_auroc:.4f}"
            iteration = "" if progress.iteration is None else f", iteration {progress.iteration}"
            label = f"{method}, seed {seed}{iteration}{auroc}"
            bar.show(label, progress.done, progress.total)

        return show

    return start


def _line(run: Run) -> str:
    return f"{run.method}, seed {run.seed}: AUROC {run.auroc:.4f}, AUPRC {run.auprc:.4f}, {run.seconds:.1f} s"


def _table(summary: list[dict[str, Any]], k: int) -> tuple[str, list[str], list[list[str]]]:
    """Title, columns, rows."""
    from pulink import metrics

    shown = [measure for measure in metrics.MEASURES if measure.in_table]
    columns = ["method", *(measure.title for measure in shown), "seconds", "processor s", "peak MB"]
    rows = []
    for row in summary:
        cells = [str(row["method"])]
        for measure in shown:
            mean, spread = row[f"{measure.name}_mean"], row[f"{measure.name}_std"]
            cells.append("-" if mean is None else f"{mean:.4f}" + ("" if spread is None else f" ± {spread:.4f}"))
        times = f"{row['seconds_mean']:.1f}", f"{row['cpu_seconds_mean']:.1f}"
        rows.append([*cells, *times, f"{row['peak_mb_max']:.0f}"])
    n_seeds = summary[0]["n_seeds"]
    title = f"Mean ± standard deviation over {counted(n_seeds, 'seed')}; K = {counted(k, 'hidden edge')}"
    return title, columns, rows


def _write(out: Path, record: dict[str, Any], page: str) -> None:
    from pulink.persistence.model_folder import to_json
    from pulink.system.files import write_atomically

    write_atomically(out / _RECORD, to_json(record))
    write_atomically(out / _PAGE, page)
