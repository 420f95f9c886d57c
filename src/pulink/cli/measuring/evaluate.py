"""pulink evaluate: hide edges, train, and see how well they are found again."""

from __future__ import annotations

from typing import Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.parsing import output_options as outputs
from pulink.cli.terminal.console import Screen
from pulink.cli.terminal.interrupts import stoppable
from pulink.cli.terminal.rerun import command
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.workflows import evaluation_output

ValRatio = Annotated[
    float, typer.Option("--val-ratio", min=0.0, max=1.0, help="Share of edges hidden for validation.")
]
TestRatio = Annotated[
    float, typer.Option("--test-ratio", min=0.0, max=1.0, help="Share of edges hidden for testing.")
]
SplitBy = Annotated[
    str,
    typer.Option(
        "--split", metavar="random|time", help="Which edges are hidden: random ones, or the latest (--time)."
    ),
]
Control = Annotated[
    bool,
    typer.Option(help="Beside every PULL method, GCN+CE with as many gradient steps (gcn-ce@METHOD)."),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write evaluation.json and evaluation.html into this folder; a run that was stopped there is "
        "resumed.",
    ),
]


@options.reads_a_graph
def evaluate(
    context: typer.Context,
    edges: options.Edges,
    nodes: options.Nodes = None,
    method: options.Methods = "pull-plus,pull,gcn-ce",
    effort: options.Effort = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many random splits to average over.")] = 1,
    val_ratio: ValRatio = 0.1,
    test_ratio: TestRatio = 0.1,
    split: SplitBy = "random",
    control: Control = True,
    out: Out = None,
    output: outputs.OutputFile = None,
    as_format: outputs.TableFormat = None,
    setting: options.Settings = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first seed.")] = 0,
    threads: options.Threads = None,
    cluster: options.Cluster = None,
    reading: ReadOptions = AS_FOUND,
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
    names = options.method_names(method)
    options.check_files(edges, nodes)
    folder, file = outputs.folder_or_file(context, out, output)
    place = outputs.destination(as_json, as_format, file, reads=(edges, nodes))
    options.tell_waiting(screen, edges, nodes)
    options.hold(context, folder, evaluation_output.FILES)

    from pulink.engine.compile import announce_compiling
    from pulink.methods.effort import with_effort
    from pulink.methods.registry import expand, parse_settings
    from pulink.workflows.evaluate import evaluate as evaluate_methods

    settings = with_effort(parse_settings(setting or []), effort, expand(names), options.flag("effort"))
    options.check_reading(edges, nodes, reading)
    with announce_compiling(screen.note), stoppable(folder, screen, command(context)) as checkpoints:
        result = evaluate_methods(
            edges,
            nodes,
            names,
            seeds=seeds,
            first_seed=seed,
            val=val_ratio,
            test=test_ratio,
            split=split,
            threads=threads,
            controls=control,
            settings=settings,
            options=reading,
            checkpoints=checkpoints,
            listener=screen,
            cluster=cluster,
        )
        if folder is not None:
            evaluation_output.write(folder, result)
    record = result.record()
    if not place.send_table(record, record["runs"], screen):
        title, columns, rows = evaluation_output.table(result)
        screen.table(title, columns, rows, set(columns[1:]))
