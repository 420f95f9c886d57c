"""Adam (Kingma and Ba 2015) by PyTorch's fused operation, with the same bits as `torch.optim.Adam(fused=True)`.

By hand, because the first optimiser of `torch.optim` loads PyTorch's compiler, which takes longer than a small
fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

_BETAS = 0.9, 0.999
_EPSILON = 1e-8


class Adam:
    """rate  the size of a step, which may be changed between steps; what else it has is as in `torch.optim`."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter], rate: float) -> None:
        self.rate = rate
        self._parameters = list(parameters)
        self._moments: dict[int, dict[str, Tensor]] = {}
        self.param_groups: list[dict[str, Any]] = [{"params": self._parameters}]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, which are never set to zeros instead."""
        assert set_to_none
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move all parameters that have a gradient."""
        gradients = {place: one.grad for place, one in enumerate(self._parameters) if one.grad is not None}
        for place in gradients:
            if place not in self._moments:
                like = self._parameters[place]
                self._moments[place] = {
                    "step": torch.zeros((), device=like.device),
                    "exp_avg": torch.zeros_like(like),
                    "exp_avg_sq": torch.zeros_like(like),
                }
        moments = [self._moments[place] for place in gradients]
        steps = [moment["step"] for moment in moments]
        torch._foreach_add_(steps, 1)
        torch._fused_adam_(
            [self._parameters[place] for place in gradients],
            list(gradients.values()),
            [moment["exp_avg"] for moment in moments],
            [moment["exp_avg_sq"] for moment in moments],
            [],
            steps,
            lr=self.rate,
            beta1=_BETAS[0],
            beta2=_BETAS[1],
            weight_decay=0.0,
            eps=_EPSILON,
            amsgrad=False,
            maximize=False,
        )

    def state_dict(self) -> dict[str, Any]:
        """The moments by the number of their parameter."""
        return {"state": self._moments, "param_groups": []}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` gave."""
        self._moments = {
            place: {name: value.to(self._parameters[place].device) for name, value in moment.items()}
            for place, moment in state["state"].items()
        }
