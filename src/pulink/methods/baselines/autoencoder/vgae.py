"""VGAE: a variational graph autoencoder (Kipf and Welling 2016).

    z = m + ε · s,   m and log s from two heads on one shared GCN layer,   loss = GAE's + KL / n

m alone scores pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pulink.predictor.encoder_predictor import EpochEmbedding


@dataclass(kw_only=True, eq=False, repr=False)
class VGAE(EpochEmbedding):
    """Variational graph autoencoder, with at least two layers.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.VGAE(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    reduction: ClassVar[str] = "per_class"

    def _encoder(self) -> str:
        return "vgae"
