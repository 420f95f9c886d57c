"""pulink finds the links that are missing from a graph."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pulink.baselines.gcn_ce import GCNCE, equal_budget_control
    from pulink.data.catalog import datasets, load
    from pulink.data.interop import (
        from_frame,
        from_networkx,
        from_pyg,
        from_scipy,
        to_networkx,
        to_pyg,
        to_scipy,
    )
    from pulink.data.npz import write_npz
    from pulink.data.reading import read
    from pulink.evaluation import evaluate
    from pulink.graph.graph import Graph
    from pulink.graph.split import Split, audit, split
    from pulink.methods import METHODS
    from pulink.pull.estimator import PULL

__version__ = version("pulink")

# Where each public name lives. Loaded when first used: importing PyTorch takes seconds that `--help` need not pay.
_HOMES = {
    "GCNCE": "pulink.baselines.gcn_ce",
    "METHODS": "pulink.methods",
    "PULL": "pulink.pull.estimator",
    "Graph": "pulink.graph.graph",
    "Split": "pulink.graph.split",
    "audit": "pulink.graph.split",
    "datasets": "pulink.data.catalog",
    "equal_budget_control": "pulink.baselines.gcn_ce",
    "evaluate": "pulink.evaluation",
    "from_frame": "pulink.data.interop",
    "from_networkx": "pulink.data.interop",
    "from_pyg": "pulink.data.interop",
    "from_scipy": "pulink.data.interop",
    "load": "pulink.data.catalog",
    "read": "pulink.data.reading",
    "split": "pulink.graph.split",
    "to_networkx": "pulink.data.interop",
    "to_pyg": "pulink.data.interop",
    "to_scipy": "pulink.data.interop",
    "write_npz": "pulink.data.npz",
}

__all__ = [
    "GCNCE",
    "METHODS",
    "PULL",
    "Graph",
    "Split",
    "audit",
    "datasets",
    "equal_budget_control",
    "evaluate",
    "from_frame",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "load",
    "read",
    "split",
    "to_networkx",
    "to_pyg",
    "to_scipy",
    "write_npz",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pulink' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
