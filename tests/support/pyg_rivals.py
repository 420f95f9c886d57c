"""Layers and autoencoders of PyTorch Geometric that baselines are compared with; its import alone warns."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch_geometric.nn import ARGA, ARGVA, GAE, VGAE, GATConv, SAGEConv

__all__ = ["ARGA", "ARGVA", "GAE", "VGAE", "GATConv", "SAGEConv"]
