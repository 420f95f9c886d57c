"""The old place of `pulink.nn.encoders`: whoever imports it is told once."""

import warnings

from pulink.nn.encoders import ENCODERS, GCN, VGAE, VGNAE, Encoder, EncoderFactory, Noise, encoder_factory

__all__ = ["ENCODERS", "GCN", "VGAE", "VGNAE", "Encoder", "EncoderFactory", "Noise", "encoder_factory"]

warnings.warn(
    "pulink.models.encoders is called pulink.nn.encoders now; the old place will be removed",
    DeprecationWarning,
    stacklevel=2,
)
