"""pulink finds the links that are missing from a graph."""

from __future__ import annotations

# Not from typing, which takes longer to load than all the rest of this file: Ctrl-C is not heeded until then.
TYPE_CHECKING = False

# The public names, written once: type checkers read these lines as they are, `_homes` reads them when a name is
# first used. Only then is it loaded: importing PyTorch takes seconds that `--help` need not pay.
if TYPE_CHECKING:
    from typing import Any

    __version__: str
    __all__: list[str]

    from pulink import callbacks as callbacks
    from pulink import model_selection as model_selection
    from pulink.data.catalog import datasets as datasets
    from pulink.data.catalog import load as load
    from pulink.data.export import to_igraph as to_igraph
    from pulink.data.export import to_networkx as to_networkx
    from pulink.data.export import to_pyg as to_pyg
    from pulink.data.export import to_scipy as to_scipy
    from pulink.data.formats.arrays.npz import write_npz as write_npz
    from pulink.data.interop import from_frame as from_frame
    from pulink.data.interop import from_igraph as from_igraph
    from pulink.data.interop import from_networkx as from_networkx
    from pulink.data.interop import from_pyg as from_pyg
    from pulink.data.interop import from_scipy as from_scipy
    from pulink.data.read import read as read
    from pulink.evaluation import evaluate as evaluate
    from pulink.explanation.explain import explain as explain
    from pulink.explanation.explain import reasons as reasons
    from pulink.graph.graph import Graph as Graph
    from pulink.graph.split import Split as Split
    from pulink.graph.split import audit as audit
    from pulink.graph.split import split as split
    from pulink.methods.baselines.autoencoder.arga import ARGA as ARGA
    from pulink.methods.baselines.autoencoder.argva import ARGVA as ARGVA
    from pulink.methods.baselines.autoencoder.gae import GAE as GAE
    from pulink.methods.baselines.autoencoder.mvgae import MVGAE as MVGAE
    from pulink.methods.baselines.autoencoder.vgae import VGAE as VGAE
    from pulink.methods.baselines.autoencoder.vgnae import VGNAE as VGNAE
    from pulink.methods.baselines.gnn.gat_ce import GATCE as GATCE
    from pulink.methods.baselines.gnn.gcn_ce import GCNCE as GCNCE
    from pulink.methods.baselines.gnn.gcn_ce import equal_budget_control as equal_budget_control
    from pulink.methods.baselines.gnn.id_gnn import IDGNN as IDGNN
    from pulink.methods.baselines.gnn.ness import NESS as NESS
    from pulink.methods.baselines.gnn.sage_ce import SAGECE as SAGECE
    from pulink.methods.baselines.pu.bagging_pu import BaggingPU as BaggingPU
    from pulink.methods.baselines.pu.nnpu import NNPU as NNPU
    from pulink.methods.baselines.pu.pu_auc import PUAUC as PUAUC
    from pulink.methods.baselines.structural.buddy import BUDDY as BUDDY
    from pulink.methods.baselines.structural.ncn import NCN as NCN
    from pulink.methods.baselines.structural.neo_gnn import NeoGNN as NeoGNN
    from pulink.methods.baselines.structural.ps2 import PS2 as PS2
    from pulink.methods.baselines.structural.seal import SEAL as SEAL
    from pulink.methods.heuristics.katz import Katz as Katz
    from pulink.methods.heuristics.l3 import L3 as L3
    from pulink.methods.heuristics.l3 import L3N as L3N
    from pulink.methods.heuristics.pagerank import PersonalisedPageRank as PersonalisedPageRank
    from pulink.methods.heuristics.preferential_attachment import PreferentialAttachment as PreferentialAttachment
    from pulink.methods.heuristics.shared_neighbours import AdamicAdar as AdamicAdar
    from pulink.methods.heuristics.shared_neighbours import CommonNeighbours as CommonNeighbours
    from pulink.methods.heuristics.shared_neighbours import Jaccard as Jaccard
    from pulink.methods.heuristics.shared_neighbours import ResourceAllocation as ResourceAllocation
    from pulink.methods.pull.estimator import PULL as PULL
    from pulink.methods.pull_plus.estimator import PULLPlus as PULLPlus
    from pulink.methods.registry import METHODS as METHODS
    from pulink.methods.registry import load_model as load_model
    from pulink.methods.registry import make as make
    from pulink.workflows.find import find as find
    from pulink.workflows.installation import show_versions as show_versions
    from pulink.workflows.review.session import ReviewSession as ReviewSession
    from pulink.workflows.review.session import open_review as open_review


def _homes() -> dict[str, str]:
    """Which module of this package each public name is imported from, as the lines above say."""
    import ast
    from pathlib import Path

    nodes = ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8")))
    lines = [(node.module or "", node.names) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {alias.name: module for module, names in lines if module.startswith("pulink.") for alias in names}


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__version__":
        from importlib.metadata import version

        value = version("pulink")
    elif name == "__all__":
        value = sorted(_homes())
    elif home := _homes().get(name):
        from importlib import import_module

        value = getattr(import_module(home), name)
    elif name == "callbacks":
        import pulink.callbacks

        value = pulink.callbacks
    elif name == "model_selection":
        import pulink.model_selection

        value = pulink.model_selection
    else:
        raise AttributeError(f"module 'pulink' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_homes(), "__version__"])
