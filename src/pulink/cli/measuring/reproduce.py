"""pulink reproduce: the paper's tables and figures, ours and records, run by run; stops and goes on at will."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli.parsing import options
from pulink.cli.parsing.completion import cluster_addresses
from pulink.cli.terminal.console import Screen
from pulink.cli.terminal.interrupts import ended_with
from pulink.cli.terminal.rerun import command
from pulink.errors import ClusterError, ParameterError, UnknownNameError
from pulink.workflows.formats.documents import document

if TYPE_CHECKING:
    from pulink.experiments.plan import RunSpec
    from pulink.experiments.results import Results
    from pulink.experiments.runner import State
    from pulink.experiments.spec import Experiment
    from pulink.predictor.fitting.progress_bar import ProgressLine

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...",
        help="Experiments, or how their names begin: records is all of records-...; all of them if none is named.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        parser=options.named_folder,
        help="Where --report writes.",
        show_default="DIR/report",
    ),
]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def reproduce(
    context: typer.Context,
    names: Names = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Seeds per experiment.", show_default="as the paper")
    ] = None,
    datasets: Annotated[str | None, typer.Option("--datasets", help="Only these, separated by commas.")] = None,
    methods: Annotated[
        str | None, typer.Option("--methods", help="Only these methods, variants and groups, separated by commas.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Runs at a time, each its own process.")] = 1,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads of each run.")] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="local:N|auto|ray://HOST:PORT",
            help="Who makes the runs: N processes of this machine, as --jobs N does, or the nodes of a Ray "
            "cluster (docs/distributed.md).",
            autocompletion=cluster_addresses,
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help="Start no new run after this time, for example 90m or 2h."),
    ] = None,
    results: Annotated[
        Path,
        typer.Option("--results", metavar="DIR", parser=options.named_folder, help="Where results are kept."),
    ] = Path("results"),
    retry: Annotated[bool, typer.Option("--retry", help="Make failed runs again.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Print how much is done, and stop.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Write the tables and figures of what is finished, and stop.")
    ] = False,
    out: Out = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Make the paper's experiments again, ours, and records by other people's protocols.

    One seed of everything comes before the second seed of anything. A finished run is a small file in the folder
    of results: stop at any moment, and the same command goes on. A failed run is recorded, and the others go on.
    """
    screen = Screen(quiet)
    seconds = None if budget is None else _seconds(budget)
    from pulink.experiments.results import Results
    from pulink.experiments.spec import experiments, experiments_of

    chosen = list({own.name: own for name in names or experiments() for own in experiments_of(name)}.values())
    store = Results(results)
    if report:
        folder = out or results / "report"
        options.hold(context, folder)
        _report(screen, store, chosen, seeds, folder)
        return
    planned = _plan(chosen, seeds, datasets, methods)
    if status:
        _status(screen, store, chosen, planned, seeds, as_json)
        return
    if not planned:
        raise ParameterError("nothing to run: no experiment has these datasets and methods")
    # A result lies in a folder of its dataset and method.
    options.hold(context, results, depth=2)
    with ended_with(f"stopped; finished runs are kept. Resume with: {command(context)}"):
        settings = {"threads": threads, "budget_seconds": seconds, "retry": retry}
        try:
            _work(screen, store, planned, jobs, cluster, **settings)
        except ClusterError as error:
            raise ClusterError(f"{error}; finished runs are kept. Resume with: {command(context)}") from error
    _status(screen, store, chosen, planned, seeds, as_json)


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd])", text.strip().lower())
    if found is None or float(found[1]) <= 0:
        raise ParameterError(f"--budget takes a number with s, m, h or d, for example 2h, got {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def _plan(chosen: list[Experiment], seeds: int | None, datasets: str | None, methods: str | None) -> list[RunSpec]:
    from pulink.experiments.plan import plan
    from pulink.methods.registry import expand

    wanted = None if datasets is None else _names(datasets)
    known = {name for entry in chosen for column in entry.columns for name in (column.name, column.dataset)}
    for name in wanted or ():
        if name not in known:
            raise UnknownNameError("dataset of these experiments", name, known)
    variants = {row for entry in chosen for row in entry.rows if "." in row}
    asked = None if methods is None else _names(methods)
    allowed = None if asked is None else {*asked} & variants | {*expand(n for n in asked if n not in variants)}
    return plan(chosen, seeds=seeds, datasets=wanted, methods=allowed)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _work(
    screen: Screen, store: Results, planned: list[RunSpec], jobs: int, cluster: str | None, **settings: Any
) -> None:
    from pulink.engine.threads import use_threads
    from pulink.workflows.reproduce import runner_on

    with use_threads(settings["threads"]), runner_on(cluster, screen.note, jobs) as runner_of, screen.bar() as bar:
        runner = runner_of(
            store,
            on_finished=lambda spec, record, state: screen.note(_line(spec, record, state)),
            on_tick=lambda state: _tick(bar, state),
            **settings,
        )
        runner.work(planned)


def _line(spec: RunSpec, record: dict[str, Any], state: State) -> str:
    what = f"{state.n_done} of {state.n_planned}: {spec.path}"
    if "failed" in record:
        return f"{what}: failed: {record['failed']}"
    run = record["run"]
    return f"{what}: AUROC {run['auroc']:.4f}, AUPRC {run['auprc']:.4f}, {run['seconds']:.1f} s"


def _tick(bar: ProgressLine, state: State) -> None:
    left = "" if state.seconds_left is None else f", about {_words(state.seconds_left)} left"
    running = ", ".join(f"{spec.dataset} {spec.method} {spec.seed}" for spec in state.running)
    bar.show(f"{running}{left}", state.n_done, state.n_planned)


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _status(
    screen: Screen,
    store: Results,
    chosen: list[Experiment],
    planned: list[RunSpec],
    seeds: int | None,
    as_json: bool,
) -> None:
    from pulink.experiments.plan import runs_of

    wanted = {spec.path for spec in planned}
    rows: list[dict[str, Any]] = []
    for entry in chosen:
        paths = {spec.path: spec for seed in range(seeds or entry.seeds) for _, spec in runs_of(entry, seed)}
        records = [store.read(spec) for path, spec in paths.items() if path in wanted]
        rows.append(
            {
                "experiment": entry.name,
                "source": entry.source,
                "planned": len(records),
                "done": sum(record is not None and "run" in record for record in records),
                "failed": sum(record is not None and "failed" in record for record in records),
            }
        )
    if as_json:
        screen.json(document({"experiments": rows}))
        return
    columns = ["experiment", "source", "planned", "done", "failed"]
    cells = [[str(row[column]) for column in columns] for row in rows]
    screen.table("Runs (an experiment may share runs with another)", columns, cells, set(columns[2:]))


def _report(screen: Screen, store: Results, chosen: list[Experiment], seeds: int | None, folder: Path) -> None:
    from pulink.system.user_cache import keep_fonts_in_cache

    keep_fonts_in_cache()
    from pulink.report.reproduction.write import write_report

    written = write_report(store, chosen, folder, seeds=seeds)
    screen.note(f"written to {folder}: {', '.join(path.name for path in written)}")
