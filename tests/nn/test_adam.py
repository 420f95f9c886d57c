"""Adam by PyTorch's fused operation, against `torch.optim`."""

import subprocess
import sys

import torch

from pulink.nn.adam import Adam


def parameters() -> list[torch.nn.Parameter]:
    torch.manual_seed(0)
    return [
        torch.nn.Parameter(torch.randn(5, 3)),
        torch.nn.Parameter(torch.randn(7)),
        torch.nn.Parameter(torch.ones(2)),
    ]


def gradients(some: list[torch.nn.Parameter], step: int) -> None:
    """One of the parameters never has any."""
    for place, parameter in enumerate(some[:2]):
        parameter.grad = torch.sin(parameter.detach() * (step + 1) + place)


def test_steps_are_those_of_torch_to_the_bit_and_rates_may_change() -> None:
    ours, theirs = parameters(), parameters()
    mine, other = Adam(ours, 0.01), torch.optim.Adam(theirs, lr=0.01, fused=True)
    for step in range(20):
        mine.rate = other.param_groups[0]["lr"] = 0.01 / (1 + step)
        gradients(ours, step)
        gradients(theirs, step)
        mine.step()
        other.step()
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_it_goes_on_from_its_moments() -> None:
    one, again = parameters(), parameters()
    first, second = Adam(one, 0.01), Adam(again, 0.01)
    for step in range(4):
        gradients(one, step)
        first.step()
        if step == 1:
            second.load_state_dict(
                {
                    "state": {
                        k: {n: v.clone() for n, v in m.items()} for k, m in first.state_dict()["state"].items()
                    }
                }
            )
            for a, b in zip(again, one, strict=True):
                a.data.copy_(b.data)
        if step > 1:
            gradients(again, step)
            second.step()
    assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))


def test_it_loads_no_compiler() -> None:
    program = (
        "import sys, torch; from pulink.nn.adam import Adam\n"
        "p = torch.nn.Parameter(torch.ones(2)); a = Adam([p], 0.1)\n"
        "p.grad = torch.ones(2); a.step(); a.zero_grad()\n"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
