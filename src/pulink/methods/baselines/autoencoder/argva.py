"""ARGVA: ARGA with a variational encoder (Pan et al. 2018).

    z = m + ε · s,   loss of the encoder = VGAE's, KL / n included, + mean over nodes of −log D(z_i)

m alone scores pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.methods.baselines.autoencoder.arga import ARGA


@dataclass(kw_only=True, eq=False, repr=False)
class ARGVA(ARGA):
    """Adversarially regularised variational graph autoencoder.

    See Also
    --------
    pulink.ARGA : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.ARGVA(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    def _encoder(self) -> str:
        return "vgae"
