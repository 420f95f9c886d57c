"""VGNAE: a variational graph autoencoder with normalised features (Ahn and Kim 2021).

    m = S · (s · X W2 / |X W2|),   log s = S · X W1,   one propagation and no nonlinearity

The authors' code trains this model without the KL term; `divergence` adds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pulink.nn import encoders
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.parameters import check_flag, check_positive


@dataclass(kw_only=True, eq=False, repr=False)
class VGNAE(EpochEmbedding):
    """Normalised variational graph autoencoder; it propagates once, whatever `n_layers` is.

    Parameters
    ----------
    scale : float
        Length of a node's vector before propagation.
    divergence : bool
        Whether KL / n is added to the loss.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.VGNAE(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    reduction: ClassVar[str] = "per_class"

    scale: float = 1.8
    divergence: bool = False

    def _check_params(self) -> None:
        super()._check_params()
        check_positive("scale", self.scale)
        check_flag("divergence", self.divergence)

    def _encoder(self) -> encoders.EncoderFactory:
        return partial(encoders.VGNAE, scale=self.scale, with_penalty=self.divergence)
