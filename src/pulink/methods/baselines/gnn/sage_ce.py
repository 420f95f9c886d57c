"""SAGE+CE: GraphSAGE with cross-entropy (Hamilton et al. 2017).

m training edges against m fresh non-edges in every epoch, mean cross-entropy of inner products; the encoder's
equations stand in nn/sage.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.engine.adjacency import Adjacency
from pulink.nn.backend import Operator, backend_of
from pulink.nn.encoders import EncoderFactory
from pulink.nn.sage import SAGE, mean_operator
from pulink.predictor.encoder_predictor import EpochEmbedding


@dataclass(kw_only=True, eq=False, repr=False)
class SAGECE(EpochEmbedding):
    """SAGE+CE: the mean of the neighbours beside the node itself.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.SAGECE(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    def _encoder(self) -> EncoderFactory:
        return SAGE

    def _operator(self, adjacency: Adjacency) -> Operator:
        return backend_of(self.device).operator(mean_operator(adjacency))
