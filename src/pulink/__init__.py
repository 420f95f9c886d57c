"""pulink finds the links that are missing from a graph."""

from __future__ import annotations

# Not from typing, which takes longer to load than all the rest of this file: Ctrl-C is not heeded until then.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    __version__: str

    from pulink.answers.explain import explain
    from pulink.baselines.arga import ARGA
    from pulink.baselines.argva import ARGVA
    from pulink.baselines.bagging_pu import BaggingPU
    from pulink.baselines.buddy import BUDDY
    from pulink.baselines.gae import GAE
    from pulink.baselines.gat_ce import GATCE
    from pulink.baselines.gcn_ce import GCNCE, equal_budget_control
    from pulink.baselines.heuristics.katz import Katz
    from pulink.baselines.heuristics.l3 import L3, L3N
    from pulink.baselines.heuristics.pagerank import PersonalisedPageRank
    from pulink.baselines.heuristics.preferential_attachment import PreferentialAttachment
    from pulink.baselines.heuristics.shared_neighbours import (
        AdamicAdar,
        CommonNeighbours,
        Jaccard,
        ResourceAllocation,
    )
    from pulink.baselines.id_gnn import IDGNN
    from pulink.baselines.mvgae import MVGAE
    from pulink.baselines.ncn import NCN
    from pulink.baselines.neo_gnn import NeoGNN
    from pulink.baselines.ness import NESS
    from pulink.baselines.nnpu import NNPU
    from pulink.baselines.ps2 import PS2
    from pulink.baselines.pu_auc import PUAUC
    from pulink.baselines.sage_ce import SAGECE
    from pulink.baselines.seal import SEAL
    from pulink.baselines.vgae import VGAE
    from pulink.baselines.vgnae import VGNAE
    from pulink.data.catalog import datasets, load
    from pulink.data.interop import from_frame, from_networkx, from_pyg, from_scipy, to_networkx, to_pyg, to_scipy
    from pulink.data.npz import write_npz
    from pulink.data.reading import read
    from pulink.evaluation import evaluate
    from pulink.graph.graph import Graph
    from pulink.graph.split import Split, audit, split
    from pulink.methods import METHODS, load_model, make
    from pulink.plus.estimator import PULLPlus
    from pulink.pull.estimator import PULL

# Where each public name lives. Loaded when first used: importing PyTorch takes seconds that `--help` need not pay.
_HOMES = {
    "ARGA": "pulink.baselines.arga",
    "ARGVA": "pulink.baselines.argva",
    "BUDDY": "pulink.baselines.buddy",
    "GAE": "pulink.baselines.gae",
    "GATCE": "pulink.baselines.gat_ce",
    "GCNCE": "pulink.baselines.gcn_ce",
    "IDGNN": "pulink.baselines.id_gnn",
    "L3": "pulink.baselines.heuristics.l3",
    "L3N": "pulink.baselines.heuristics.l3",
    "METHODS": "pulink.methods",
    "MVGAE": "pulink.baselines.mvgae",
    "NCN": "pulink.baselines.ncn",
    "NESS": "pulink.baselines.ness",
    "NNPU": "pulink.baselines.nnpu",
    "PS2": "pulink.baselines.ps2",
    "PUAUC": "pulink.baselines.pu_auc",
    "PULL": "pulink.pull.estimator",
    "PULLPlus": "pulink.plus.estimator",
    "SAGECE": "pulink.baselines.sage_ce",
    "SEAL": "pulink.baselines.seal",
    "VGAE": "pulink.baselines.vgae",
    "VGNAE": "pulink.baselines.vgnae",
    "AdamicAdar": "pulink.baselines.heuristics.shared_neighbours",
    "BaggingPU": "pulink.baselines.bagging_pu",
    "CommonNeighbours": "pulink.baselines.heuristics.shared_neighbours",
    "Graph": "pulink.graph.graph",
    "Jaccard": "pulink.baselines.heuristics.shared_neighbours",
    "Katz": "pulink.baselines.heuristics.katz",
    "NeoGNN": "pulink.baselines.neo_gnn",
    "PersonalisedPageRank": "pulink.baselines.heuristics.pagerank",
    "PreferentialAttachment": "pulink.baselines.heuristics.preferential_attachment",
    "ResourceAllocation": "pulink.baselines.heuristics.shared_neighbours",
    "Split": "pulink.graph.split",
    "audit": "pulink.graph.split",
    "datasets": "pulink.data.catalog",
    "equal_budget_control": "pulink.baselines.gcn_ce",
    "evaluate": "pulink.evaluation",
    "explain": "pulink.answers.explain",
    "from_frame": "pulink.data.interop",
    "from_networkx": "pulink.data.interop",
    "from_pyg": "pulink.data.interop",
    "from_scipy": "pulink.data.interop",
    "load": "pulink.data.catalog",
    "load_model": "pulink.methods",
    "make": "pulink.methods",
    "read": "pulink.data.reading",
    "split": "pulink.graph.split",
    "to_networkx": "pulink.data.interop",
    "to_pyg": "pulink.data.interop",
    "to_scipy": "pulink.data.interop",
    "write_npz": "pulink.data.npz",
}

__all__ = [
    "ARGA",
    "ARGVA",
    "BUDDY",
    "GAE",
    "GATCE",
    "GCNCE",
    "IDGNN",
    "L3",
    "L3N",
    "METHODS",
    "MVGAE",
    "NCN",
    "NESS",
    "NNPU",
    "PS2",
    "PUAUC",
    "PULL",
    "SAGECE",
    "SEAL",
    "VGAE",
    "VGNAE",
    "AdamicAdar",
    "BaggingPU",
    "CommonNeighbours",
    "Graph",
    "Jaccard",
    "Katz",
    "NeoGNN",
    "PULLPlus",
    "PersonalisedPageRank",
    "PreferentialAttachment",
    "ResourceAllocation",
    "Split",
    "audit",
    "datasets",
    "equal_budget_control",
    "evaluate",
    "explain",
    "from_frame",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "load",
    "load_model",
    "make",
    "read",
    "split",
    "to_networkx",
    "to_pyg",
    "to_scipy",
    "write_npz",
]


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__version__":
        from importlib.metadata import version

        value = version("pulink")
    elif name in _HOMES:
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'pulink' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
