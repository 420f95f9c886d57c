"""The two encoders whose embeddings are among the signals.

gcn    a graph convolutional network with mean cross-entropy (Kipf and Welling 2017)
vgnae  a normalised autoencoder (Ahn and Kim 2021), not a variational one: noise took half of its time and brought
       nothing. Edges and non-edges have the same part in the loss
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pulink.nn import encoders
from pulink.predictor.encoder_predictor import EpochEmbedding

# Length of a node's vector before it is propagated.
_SCALE = 1.8
# Of more edges than this an epoch learns from a part, drawn anew.
_MOST_EDGES = 500_000


@dataclass(kw_only=True, eq=False, repr=False)
class GCNEncoder(EpochEmbedding):
    """Two layers, as every encoder has that is trained by epochs."""

    most_edges: ClassVar[int | None] = _MOST_EDGES


@dataclass(kw_only=True, eq=False, repr=False)
class VGNAEEncoder(EpochEmbedding):
    """One propagation, and no nonlinearity."""

    reduction: ClassVar[str] = "per_class"
    most_edges: ClassVar[int | None] = _MOST_EDGES

    def _encoder(self) -> encoders.EncoderFactory:
        return partial(encoders.VGNAE, scale=_SCALE, with_noise=False)


ENCODERS: dict[str, type[EpochEmbedding]] = {"gcn": GCNEncoder, "vgnae": VGNAEEncoder}
