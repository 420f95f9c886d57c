"""What a training changes as it goes: parameters, an optimiser's moments, counters. As arrays, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from pulink.nn.adam import Adam
from pulink.nn.mlp import from_state, to_state
from pulink.persistence.checks import require_alike, require_finite

Arrays = dict[str, npt.NDArray[Any]]
Part = nn.Module | torch.optim.Optimizer | Adam

# What Adam remembers of a parameter: steps, and two arrays of its shape.
_STEP, _MOMENTS = "step", {"exp_avg", "exp_avg_sq"}


class Resumable(ABC):
    """A training that can be left and taken up: random numbers come from its seed and its counters alone.

    loss  of the last gradient step, for those who watch; None before the first
    """

    counters: ClassVar[tuple[str, ...]] = ("n_steps",)
    loss: float | None = None

    @abstractmethod
    def parts(self) -> Mapping[str, Part]:
        """Modules and optimisers by name, made anew in the same shape by whoever goes on."""

    def state_dict(self) -> Arrays:
        """All that is needed to go on from here."""
        found: Arrays = {name: np.array(getattr(self, name)) for name in self.counters}
        for name, part in self.parts().items():
            found |= {f"{name}.{key}": value for key, value in _arrays(part).items()}
        return found

    def load_state_dict(self, state: Arrays) -> None:
        """Take back what `state_dict` gave; KeyError, ValueError and RuntimeError mean that it is another's."""
        for name, part in self.parts().items():
            prefix = f"{name}."
            _put_back(part, {k.removeprefix(prefix): array for k, array in state.items() if k.startswith(prefix)})
        for name in self.counters:
            setattr(self, name, int(state[name]))


def _arrays(part: Part) -> Arrays:
    if isinstance(part, nn.Module):
        return to_state(part)
    moments = part.state_dict()["state"]
    return {
        f"{number}.{name}": value.detach().cpu().numpy().copy()
        for number, moment in moments.items()
        for name, value in moment.items()
    }


def _put_back(part: Part, arrays: Arrays) -> None:
    if isinstance(part, nn.Module):
        require_alike(arrays, to_state(part))
        from_state(part, arrays)
        return
    require_finite(arrays.values())
    groups = part.state_dict()["param_groups"]
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, value in arrays.items():
        number, _, name = key.partition(".")
        moments.setdefault(int(number), {})[name] = torch.from_numpy(np.array(value))
    parameters = dict(enumerate(parameter for group in part.param_groups for parameter in group["params"]))
    for place, moment in moments.items():
        parameter = parameters[place]
        looks = {_STEP: ((), torch.float32), **dict.fromkeys(_MOMENTS, (parameter.shape, parameter.dtype))}
        if {name: (value.shape, value.dtype) for name, value in moment.items()} != looks:
            raise ValueError("its moments are not those of this optimiser")
    part.load_state_dict({"state": moments, "param_groups": groups})
