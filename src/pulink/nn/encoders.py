"""Graph encoders: node features and an adjacency go in, one embedding per node comes out.

The protocol that any encoder for PULL follows has two steps, because PULL propagates over two graphs in one
epoch and the product of the features with the first weights is the same for both:

    projected = encoder.project(features)                    # X · W, once per epoch
    z, penalty = encoder.propagate(projected, S, noise)      # per graph; penalty is added to the loss

S is the propagation operator D^-1/2 (A + I) D^-1/2 of a weighted graph. `noise(shape)` gives standard normal
numbers; it is None when embeddings are wanted for scoring, and an encoder without randomness ignores it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from pulink.engine.random import stream_key, uniforms
from pulink.errors import UnknownNameError
from pulink.nn.backend import Operator
from pulink.nn.inputs import FeatureInput

Noise = Callable[[tuple[int, ...]], Tensor]


class Encoder(Protocol):
    """What PULL and the other trainers ask of an encoder (an nn.Module)."""

    def project(self, features: FeatureInput) -> Tensor: ...

    def propagate(
        self, projected: Tensor, adjacency: Operator, noise: Noise | None
    ) -> tuple[Tensor, Tensor | None]: ...


class _Base(nn.Module):
    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed

    def glorot(self, name: str, rows: int, columns: int) -> nn.Parameter:
        """Uniform in ±sqrt(6 / (rows + columns)), from this encoder's own stream."""
        limit = np.sqrt(6.0 / (rows + columns))
        draws = uniforms(stream_key(self._seed, "glorot", name), rows * columns)
        values = ((2 * draws - 1) * limit).astype(np.float32).reshape(rows, columns)
        # A copy in PyTorch's memory, where a row of 16 is one cache line: without features, products read rows.
        return nn.Parameter(torch.from_numpy(values).clone())


class GCN(_Base):
    """Z = S · relu(... S · X W1 + b1 ...) · Wl + bl (Kipf and Welling 2017)."""

    def __init__(self, n_columns: int, n_units: int, n_layers: int, seed: int) -> None:
        super().__init__(seed)
        sizes = [n_columns] + [n_units] * n_layers
        self.weights = nn.ParameterList(
            [self.glorot(f"layer {k}", sizes[k], sizes[k + 1]) for k in range(n_layers)]
        )
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(n_units)) for _ in range(n_layers)])

    def project(self, features: FeatureInput) -> Tensor:
        return features.project(self.weights[0])

    def propagate(
        self, projected: Tensor, adjacency: Operator, noise: Noise | None
    ) -> tuple[Tensor, Tensor | None]:
        # In place: nothing needs the sums before the bias, or the activations before the relu.
        z = (adjacency @ projected).add_(self.biases[0])
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            z = (adjacency @ (z.relu_() @ weight)).add_(bias)
        return z, None


class VGAE(_Base):
    """A shared GCN layer, then one for the means and one for the log-deviations (Kipf and Welling 2016)."""

    def __init__(self, n_columns: int, n_units: int, n_layers: int, seed: int) -> None:
        super().__init__(seed)
        self.shared = GCN(n_columns, n_units, max(1, n_layers - 1), seed)
        self.weight = nn.Parameter(
            torch.cat([self.glorot("mean", n_units, n_units), self.glorot("deviation", n_units, n_units)], dim=1)
        )
        self.bias = nn.Parameter(torch.zeros(2 * n_units))

    def project(self, features: FeatureInput) -> Tensor:
        return self.shared.project(features)

    def propagate(
        self, projected: Tensor, adjacency: Operator, noise: Noise | None
    ) -> tuple[Tensor, Tensor | None]:
        hidden = torch.relu(self.shared.propagate(projected, adjacency, None)[0])
        both = adjacency @ (hidden @ self.weight) + self.bias
        mean, log_deviation = both.chunk(2, dim=1)
        return _sampled(mean, log_deviation, noise, with_penalty=True)


class VGNAE(_Base):
    """mean = S · (s · L2norm(X W2 + b2)), log-deviation = S · (X W1 + b1), s = 1.8 (Ahn and Kim 2021).

    The authors' code adds no KL term for this model; `with_penalty` adds it. Without noise, embeddings are the
    means, and what belongs to deviations is never learned.
    """

    def __init__(
        self,
        n_columns: int,
        n_units: int,
        n_layers: int,
        seed: int,
        scale: float = 1.8,
        with_penalty: bool = False,
        with_noise: bool = True,
    ) -> None:
        super().__init__(seed)
        self.weight = nn.Parameter(
            torch.cat(
                [self.glorot("mean", n_columns, n_units), self.glorot("deviation", n_columns, n_units)], dim=1
            )
        )
        self.bias = nn.Parameter(torch.zeros(2 * n_units))
        self._scale = scale
        self._with_penalty, self._with_noise = with_penalty, with_noise

    def project(self, features: FeatureInput) -> Tensor:
        mean, log_deviation = (features.project(self.weight) + self.bias).chunk(2, dim=1)
        return torch.cat([self._scale * nn.functional.normalize(mean, dim=1), log_deviation], dim=1)

    def propagate(
        self, projected: Tensor, adjacency: Operator, noise: Noise | None
    ) -> tuple[Tensor, Tensor | None]:
        if not self._with_noise:
            return adjacency @ projected.chunk(2, dim=1)[0].contiguous(), None
        mean, log_deviation = (adjacency @ projected).chunk(2, dim=1)
        return _sampled(mean, log_deviation, noise, self._with_penalty)


def _sampled(
    mean: Tensor, log_deviation: Tensor, noise: Noise | None, with_penalty: bool
) -> tuple[Tensor, Tensor | None]:
    """z = mean + noise · deviation, and KL / n with KL = −½ mean_i Σ_d (1 + 2 log s − m² − s²)."""
    if noise is None:
        return mean.contiguous(), None
    log_deviation = log_deviation.clamp(max=10)
    z = mean + noise(tuple(mean.shape)) * log_deviation.exp()
    if not with_penalty:
        return z, None
    divergence = 1 + 2 * log_deviation - mean**2 - (2 * log_deviation).exp()
    return z, -0.5 * divergence.sum(dim=1).mean() / len(mean)


# (n_columns, n_units, n_layers, seed) -> an untrained encoder
EncoderFactory = Callable[[int, int, int, int], nn.Module]

ENCODERS: dict[str, EncoderFactory] = {"gcn": GCN, "vgae": VGAE, "vgnae": VGNAE}


def encoder_factory(name: str) -> EncoderFactory:
    """An encoder from the closed list of names."""
    if name not in ENCODERS:
        raise UnknownNameError("encoder", name, ENCODERS)
    return ENCODERS[name]
