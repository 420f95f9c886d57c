"""The three E-steps that pulink is compared with choose the same pairs."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # by PyG, when it is imported

N_NODES, HUBS = 250, torch.tensor([3, 17, 40])


@pytest.fixture(params=["dense", "authors", "hubs"])
def step(request: pytest.FixtureRequest) -> Callable[..., tuple[Tensor, Tensor]]:
    from benchmarks.pyg_rival import E_STEPS

    return E_STEPS[request.param]


def test_the_best_unobserved_cells_of_hub_rows_are_chosen(step: Callable[..., tuple[Tensor, Tensor]]) -> None:
    draws = torch.Generator().manual_seed(0)
    z = torch.randn((N_NODES, 4), generator=draws)
    ends = torch.randint(0, N_NODES, (2, 600), generator=draws)
    # The authors' step leaves a hub's own cell in: as observed pairs, these are out of all three.
    observed = torch.cat([ends, ends.flip(0), HUBS.repeat(2, 1)], dim=1)
    scores = torch.sigmoid(z.double() @ z.double().t())
    known = torch.zeros((N_NODES, N_NODES), dtype=torch.bool)
    known[observed[0], observed[1]] = True
    candidates = [(float(scores[i, j]), int(i), j) for i in HUBS for j in range(N_NODES) if not known[i, j]]
    best = sorted(candidates, reverse=True)[:50]
    pairs, values = step(z, observed, 50, HUBS)
    assert {(int(i), int(j)) for i, j in pairs.t()} == {(i, j) for _, i, j in best}
    assert values.tolist() == pytest.approx([score for score, _, _ in best], abs=1e-6)
