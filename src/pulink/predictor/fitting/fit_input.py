"""What `fit` is handed over: data to learn from, and who is told where it stands."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.split import Split, audit
from pulink.graph.tables.as_graph import as_graph, is_edge_source
from pulink.predictor.fitting.fit_run import ProgressFunction, Validation
from pulink.predictor.scikit_learn.edge_rows import EdgeRows
from pulink.text import shown


def accepted(data: object) -> Graph | Split:
    """What can be learned from: a split without leaks, or a graph."""
    if isinstance(data, Split):
        audit(data)
        return data
    if isinstance(data, EdgeRows):
        data = data.train_graph()
    if not is_edge_source(data):
        raise ParameterError(
            "fit takes a Graph or a Split, or edges in a polars or pandas frame, an m x 2 array or a list of "
            f"pairs, got {type(data).__name__}; pulink.read, from_scipy, from_networkx and from_pyg make a Graph"
        )
    graph = as_graph(data)
    if graph.n_edges and not graph.n_recorded:
        raise InputError("every edge was accepted in a review: none was recorded, so none can be hidden as a test")
    return graph


def reporter(progress: bool | ProgressFunction | None, choosing: str) -> AbstractContextManager[ProgressFunction]:
    """Who is told where a fit stands: a bar, a function, or nobody."""
    if progress is True:
        # Loaded here, because most fits show no bar.
        from pulink.predictor.fitting.progress_bar import fit_bar

        return fit_bar(choosing)
    if progress is None or progress is False:
        return nullcontext(lambda _: None)
    if not callable(progress):
        raise ParameterError(f"progress must be True, False, None or a function, got {shown(progress)}")
    return nullcontext(progress)


def hidden_pairs(data: Split) -> Validation | None:
    """The validation pairs of a split; None where it has none."""
    return Validation(data.val_edges, data.val_non_edges) if len(data.val_edges) else None
