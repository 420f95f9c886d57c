"""The parts of PyTorch Geometric that tests compare with; its import alone warns of deprecations."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch_geometric.data import Data
    from torch_geometric.nn import VGAE, GCNConv
    from torch_geometric.transforms import NormalizeFeatures

__all__ = ["VGAE", "Data", "GCNConv", "NormalizeFeatures"]
