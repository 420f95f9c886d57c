"""Which arithmetic a device takes: the engine's kernels on the CPU, plain PyTorch operations everywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.autograd.pair_dot import logits_with_gradient
from pulink.engine.autograd.pair_loss import PairPart, pair_loss
from pulink.engine.autograd.sparse import SparseOperator
from pulink.engine.autograd.torch_reference import PlainOperator, plain_pair_loss
from pulink.errors import ParameterError

PLAIN = "plain"


class Operator(Protocol):
    """A constant matrix that multiplies embeddings, gradients included."""

    def __matmul__(self, dense: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class Backend:
    """The arithmetic of one device."""

    device: torch.device
    plain: bool

    def operator(self, operator: SparseOperator) -> Operator:
        """The operator as this device takes it."""
        return PlainOperator(operator, self.device) if self.plain else operator

    def pair_loss(self, z: Tensor, *parts: PairPart) -> Tensor:
        return plain_pair_loss(z, *parts) if self.plain else pair_loss(z, *parts)


ENGINE = Backend(torch.device("cpu"), plain=False)


def backend_of(device: str) -> Backend:
    """ "cpu": the engine; "plain": plain operations on the CPU; else a PyTorch device such as "cuda" or "mps"."""
    if not isinstance(device, str):
        raise ParameterError(f"device must be a name such as 'cpu' or 'cuda', got {device!r}")
    if device == "cpu":
        return ENGINE
    if device == PLAIN:
        return Backend(torch.device("cpu"), plain=True)
    try:
        place = torch.device(device)
        torch.zeros(1, device=place)
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ParameterError(f"device {device!r} cannot be used here ({reason}); 'cpu' always can") from error
    return Backend(place, plain=True)


def pair_scores(z: Tensor, pairs: npt.NDArray[np.int32], backend: Backend) -> Tensor:
    """z_i · z_j (k) for pairs (k x 2), differentiable in z (n x d)."""
    if not backend.plain:
        return logits_with_gradient(z, pairs)
    ends = torch.tensor(pairs, dtype=torch.int64, device=z.device)
    return (z[ends[:, 0]] * z[ends[:, 1]]).sum(dim=1)
