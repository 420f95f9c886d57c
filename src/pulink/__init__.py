"""pulink finds the links that are missing from a graph."""

from __future__ import annotations

# Not from typing, which takes longer to load than all the rest of this file: Ctrl-C is not heeded until then.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    __version__: str

    from pulink.data.catalog import datasets, load
    from pulink.data.formats.npz import write_npz
    from pulink.data.interop import from_frame, from_networkx, from_pyg, from_scipy, to_networkx, to_pyg, to_scipy
    from pulink.data.read import read
    from pulink.evaluation import evaluate
    from pulink.explanation.explain import explain
    from pulink.graph.graph import Graph
    from pulink.graph.split import Split, audit, split
    from pulink.methods.baselines.autoencoder.arga import ARGA
    from pulink.methods.baselines.autoencoder.argva import ARGVA
    from pulink.methods.baselines.autoencoder.gae import GAE
    from pulink.methods.baselines.autoencoder.mvgae import MVGAE
    from pulink.methods.baselines.autoencoder.vgae import VGAE
    from pulink.methods.baselines.autoencoder.vgnae import VGNAE
    from pulink.methods.baselines.gnn.gat_ce import GATCE
    from pulink.methods.baselines.gnn.gcn_ce import GCNCE, equal_budget_control
    from pulink.methods.baselines.gnn.id_gnn import IDGNN
    from pulink.methods.baselines.gnn.ness import NESS
    from pulink.methods.baselines.gnn.sage_ce import SAGECE
    from pulink.methods.baselines.pu.bagging_pu import BaggingPU
    from pulink.methods.baselines.pu.nnpu import NNPU
    from pulink.methods.baselines.pu.pu_auc import PUAUC
    from pulink.methods.baselines.structural.buddy import BUDDY
    from pulink.methods.baselines.structural.ncn import NCN
    from pulink.methods.baselines.structural.neo_gnn import NeoGNN
    from pulink.methods.baselines.structural.ps2 import PS2
    from pulink.methods.baselines.structural.seal import SEAL
    from pulink.methods.heuristics.katz import Katz
    from pulink.methods.heuristics.l3 import L3, L3N
    from pulink.methods.heuristics.pagerank import PersonalisedPageRank
    from pulink.methods.heuristics.preferential_attachment import PreferentialAttachment
    from pulink.methods.heuristics.shared_neighbours import (
        AdamicAdar,
        CommonNeighbours,
        Jaccard,
        ResourceAllocation,
    )
    from pulink.methods.pull.estimator import PULL
    from pulink.methods.pull_plus.estimator import PULLPlus
    from pulink.methods.registry import METHODS, load_model, make
    from pulink.workflows.find import find

# Where each public name lives. Loaded when first used: importing PyTorch takes seconds that `--help` need not pay.
_HOMES = {
    "ARGA": "pulink.methods.baselines.autoencoder.arga",
    "ARGVA": "pulink.methods.baselines.autoencoder.argva",
    "BUDDY": "pulink.methods.baselines.structural.buddy",
    "GAE": "pulink.methods.baselines.autoencoder.gae",
    "GATCE": "pulink.methods.baselines.gnn.gat_ce",
    "GCNCE": "pulink.methods.baselines.gnn.gcn_ce",
    "IDGNN": "pulink.methods.baselines.gnn.id_gnn",
    "L3": "pulink.methods.heuristics.l3",
    "L3N": "pulink.methods.heuristics.l3",
    "METHODS": "pulink.methods.registry",
    "MVGAE": "pulink.methods.baselines.autoencoder.mvgae",
    "NCN": "pulink.methods.baselines.structural.ncn",
    "NESS": "pulink.methods.baselines.gnn.ness",
    "NNPU": "pulink.methods.baselines.pu.nnpu",
    "PS2": "pulink.methods.baselines.structural.ps2",
    "PUAUC": "pulink.methods.baselines.pu.pu_auc",
    "PULL": "pulink.methods.pull.estimator",
    "PULLPlus": "pulink.methods.pull_plus.estimator",
    "SAGECE": "pulink.methods.baselines.gnn.sage_ce",
    "SEAL": "pulink.methods.baselines.structural.seal",
    "VGAE": "pulink.methods.baselines.autoencoder.vgae",
    "VGNAE": "pulink.methods.baselines.autoencoder.vgnae",
    "AdamicAdar": "pulink.methods.heuristics.shared_neighbours",
    "BaggingPU": "pulink.methods.baselines.pu.bagging_pu",
    "CommonNeighbours": "pulink.methods.heuristics.shared_neighbours",
    "Graph": "pulink.graph.graph",
    "Jaccard": "pulink.methods.heuristics.shared_neighbours",
    "Katz": "pulink.methods.heuristics.katz",
    "NeoGNN": "pulink.methods.baselines.structural.neo_gnn",
    "PersonalisedPageRank": "pulink.methods.heuristics.pagerank",
    "PreferentialAttachment": "pulink.methods.heuristics.preferential_attachment",
    "ResourceAllocation": "pulink.methods.heuristics.shared_neighbours",
    "Split": "pulink.graph.split",
    "audit": "pulink.graph.split",
    "datasets": "pulink.data.catalog",
    "equal_budget_control": "pulink.methods.baselines.gnn.gcn_ce",
    "evaluate": "pulink.evaluation",
    "explain": "pulink.explanation.explain",
    "find": "pulink.workflows.find",
    "from_frame": "pulink.data.interop",
    "from_networkx": "pulink.data.interop",
    "from_pyg": "pulink.data.interop",
    "from_scipy": "pulink.data.interop",
    "load": "pulink.data.catalog",
    "load_model": "pulink.methods.registry",
    "make": "pulink.methods.registry",
    "read": "pulink.data.read",
    "split": "pulink.graph.split",
    "to_networkx": "pulink.data.interop",
    "to_pyg": "pulink.data.interop",
    "to_scipy": "pulink.data.interop",
    "write_npz": "pulink.data.formats.npz",
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
    "find",
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
