"""What `pulink find` does with one method on graphs of several sizes, in a process of its own: memory and time.

For each size: what the bare process and the graph take, the peak, and processor seconds. Between sizes freed
memory is given back, so that a size adds what it would add in a fresh process: its peak less the bare process and
the graph.
"""

from __future__ import annotations

import ctypes
import gc
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import finish, own_arguments
from pulink.data.generated import power_law_graph
from pulink.engine.random import random_words, stream_key, uniforms
from pulink.errors import PulinkError
from pulink.graph.graph import Graph
from pulink.methods.registry import method
from pulink.report.find.page import found_page  # noqa: F401 (find has loaded it by then)
from pulink.system.memory import peak_bytes, reset_peak, resident_bytes


def main() -> None:
    wanted = own_arguments()
    # As in `find` before the fit: the method's modules are loaded, and so are the kernels that make a graph.
    method(wanted["method"]).make()
    make_graph(n_nodes=10, n_edges=20, n_features=3, per_node=1)
    bare, rows = resident(), []
    for size in wanted["sizes"]:
        settings = size.pop("settings")
        before = resident()
        graph = make_graph(**size)
        row = {"method": wanted["method"], "size": size, "settings": settings, "n_edges": graph.n_edges}
        row |= {"bare": bare, "graph": resident() - before}
        rows.append(row | measured(wanted["method"], settings | {"threads": wanted["threads"]}, graph))
        del graph
    finish(rows=rows)


def measured(name: str, settings: dict[str, Any], graph: Graph) -> dict[str, Any]:
    """The peak and the processor seconds of all that `find` does between reading and printing."""
    model = method(name).make(**settings)
    reset_peak()
    started = time.process_time()
    try:
        model.fit(graph)
        model.estimate_missing()
        model.search_links(100)
    except PulinkError as error:
        return {"refused": str(error)}
    figures = {"peak": peak_bytes(), "seconds": time.process_time() - started, "n_steps": model.n_steps_}
    return figures | {"sizes": model.sizes(graph)}


def resident() -> int:
    """The resident size once everything that is free was given back."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return resident_bytes()


def make_graph(n_nodes: int, n_edges: int, n_features: int, per_node: int) -> Graph:
    """A power-law graph; features are dense, or sparse with `per_node` entries in a row if that is not 0."""
    graph = power_law_graph(n_edges, n_nodes, n_features=0 if per_node else n_features)
    if not per_node:
        return graph
    rows = np.repeat(np.arange(n_nodes), per_node)
    columns = (random_words(stream_key(0, "columns"), rows.size) % np.uint64(n_features)).astype(np.int64)
    values = uniforms(stream_key(0, "values"), rows.size).astype(np.float32)
    return graph.with_features(sp.csr_array((values, (rows, columns)), shape=(n_nodes, n_features)))


if __name__ == "__main__":
    main()
