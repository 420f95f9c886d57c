"""GAE: a graph autoencoder (Kipf and Welling 2016).

    Z = GCN(X, A),   loss = mean over edges of −log σ(z_i·z_j) + mean over non-edges of −log(1 − σ(z_i·z_j))

m non-edges are drawn afresh in every epoch, none of them an edge in either orientation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pulink.predictor.encoder_predictor import EpochEmbedding


@dataclass(kw_only=True, eq=False, repr=False)
class GAE(EpochEmbedding):
    """Graph autoencoder.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.GAE(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    reduction: ClassVar[str] = "per_class"
