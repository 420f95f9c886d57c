"""pulink estimate: the memory and the processor time that find would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.cli.parsing import options
from pulink.cli.parsing import output_options as outputs
from pulink.cli.terminal.console import Screen
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.text import in_bytes, in_time

if TYPE_CHECKING:
    from pulink.workflows.estimate import Estimate


@options.reads_a_graph
def estimate(
    edges: options.Edges,
    nodes: options.Nodes = None,
    method: options.Methods = "all",
    effort: options.Effort = None,
    setting: options.Settings = None,
    reading: ReadOptions = AS_FOUND,
    output: outputs.OutputFile = None,
    as_format: outputs.TableFormat = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Say how much memory and processor time find would take with each method, before any of it is spent.

    The graph is read, and nothing is trained. Memory is the largest resident size of the process. How long a
    method trains is known only afterwards: its time may be half or twice what is said.
    """
    screen = Screen(quiet)
    names = options.method_names(method)
    options.check_files(edges, nodes)
    place = outputs.destination(as_json, as_format, output, reads=(edges, nodes))
    options.tell_waiting(screen, edges, nodes)

    from pulink.engine.compile import announce_compiling
    from pulink.workflows.estimate import estimate as estimate_costs

    settings = options.settings_by_method(names, setting, effort)
    options.check_reading(edges, nodes, reading)
    with announce_compiling(screen.note):
        found = estimate_costs(edges, nodes, names, settings=settings, options=reading, listener=screen)
    record = found.record()
    if not place.send_table(record, record["methods"], screen):
        _show(screen, found)


def _show(screen: Screen, found: Estimate) -> None:
    rows = [
        [cost.method, in_bytes(cost.memory_bytes), in_time(cost.cpu_seconds), "yes" if cost.fits else "no"]
        for cost in found.methods
    ]
    columns = ["method", "memory", "processor time", "fits"]
    screen.table("What find would take", columns, rows, {"memory", "processor time"})
    for cost in found.methods:
        if cost.reason is not None:
            screen.note(f"{cost.method}: {cost.reason}")
    left = "" if found.free_bytes is None else f"; {in_bytes(found.free_bytes)} are free"
    screen.note(f"memory: the peak of the process{left}; processor time: may be half or twice as much")
