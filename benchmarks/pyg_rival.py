"""PULL as a PyG user would write it: GCNConv, negative_sampling, dense features, autograd, Adam.

The E-step is one of three. "dense" masks a dense N x N matrix by others of its size and takes the best of all its
cells. "authors" also scores all N x N pairs, but lists the hubs' cells and takes the best of these, as the
released code does. "hubs" scores the hubs' rows alone.
"""

from __future__ import annotations

import statistics
import time

import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch_geometric.nn import GCNConv
from torch_geometric.transforms import NormalizeFeatures
from torch_geometric.utils import degree, negative_sampling

import pulink
from benchmarks.measure import finish, own_arguments


class Net(torch.nn.Module):
    def __init__(self, n_features: int, n_units: int) -> None:
        super().__init__()
        self.conv1 = GCNConv(n_features, n_units)
        self.conv2 = GCNConv(n_units, n_units)

    def forward(self, x: Tensor, edge_index: Tensor, weight: Tensor | None) -> Tensor:
        return self.conv2(self.conv1(x, edge_index, weight).relu(), edge_index, weight)


def decode(z: Tensor, pairs: Tensor) -> Tensor:
    return (z[pairs[0]] * z[pairs[1]]).sum(dim=-1)


def dense_step(z: Tensor, edge_index: Tensor, n_added: int, hubs: Tensor) -> tuple[Tensor, Tensor]:
    """Every pair is scored; observed pairs, the diagonal and rows without a hub are masked."""
    scores = torch.sigmoid(z @ z.t())
    observed = torch.zeros_like(scores)
    observed[edge_index[0], edge_index[1]] = 1
    rows = torch.zeros_like(scores)
    rows[hubs] = 1
    scores = scores * rows * (1 - observed)
    scores.fill_diagonal_(0)
    values, cells = torch.topk(scores.flatten(), n_added)
    return torch.stack([cells // len(z), cells % len(z)]), values


def authors_step(z: Tensor, edge_index: Tensor, n_added: int, hubs: Tensor) -> tuple[Tensor, Tensor]:
    """What the released code does: every pair is scored, then cells of hub rows are told by values above 1.

    Rows are scored a hundred at a time, joined and copied once more. Observed pairs are set to −1 and hub rows
    raised by 1, so that candidates are the cells above 1, found by a mask over the matrix. A hub's own cell is
    among them.
    """
    joined = torch.cat([torch.sigmoid(rows @ z.t()) for rows in z.split(100)])
    scores = joined.clone()
    del joined
    scores[edge_index[0], edge_index[1]] = -1
    scores[hubs] += 1
    cells = torch.nonzero(scores > 1).t()
    best = torch.topk(scores[cells[0], cells[1]], n_added)
    return cells[:, best.indices], best.values - 1


def hub_step(z: Tensor, edge_index: Tensor, n_added: int, hubs: Tensor) -> tuple[Tensor, Tensor]:
    """Only the hubs' rows are scored."""
    scores = torch.sigmoid(z[hubs] @ z.t())
    place = torch.full((len(z),), -1)
    place[hubs] = torch.arange(len(hubs))
    known = place[edge_index[0]] >= 0
    scores[place[edge_index[0][known]], edge_index[1][known]] = 0
    scores[torch.arange(len(hubs)), hubs] = 0
    values, cells = torch.topk(scores.flatten(), n_added)
    return torch.stack([hubs[cells // len(z)], cells % len(z)]), values


E_STEPS = {"dense": dense_step, "authors": authors_step, "hubs": hub_step}


def main() -> None:
    wanted = own_arguments()
    torch.set_num_threads(wanted["threads"])
    torch.manual_seed(wanted.get("start", wanted["seed"]))
    split = pulink.split(pulink.load(wanted["dataset"]), seed=wanted["seed"])
    data = NormalizeFeatures()(pulink.to_pyg(split.train))
    net = Net(data.x.shape[1], 16)
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    edge_index, m = data.edge_index, split.train.n_edges
    n, e_step = data.num_nodes, E_STEPS[wanted["e_step"]]
    bce = torch.nn.functional.binary_cross_entropy_with_logits
    z = torch.empty(0)

    def epoch(graph: Tensor, weight: Tensor | None, correct: bool) -> None:
        nonlocal z
        adam.zero_grad()
        z = net(data.x, graph, weight)
        free = negative_sampling(graph, n, graph.shape[1])
        target = torch.ones(graph.shape[1]) if weight is None else weight
        logits = torch.cat([decode(z, graph), decode(z, free)])
        loss = bce(logits, torch.cat([target, torch.zeros(free.shape[1])]))
        if correct:
            z0 = net(data.x, edge_index, None)
            pairs, free = edge_index[:, :m], negative_sampling(graph, n, m)
            logits = torch.cat([decode(z0, pairs), decode(z0, free)])
            loss = loss + bce(logits, torch.cat([torch.ones(m), torch.zeros(free.shape[1])]))
        loss.backward()
        adam.step()

    def timed(graph: Tensor, weight: Tensor | None, correct: bool) -> float:
        taken = []
        for _ in range(wanted["epochs"]):
            started = time.process_time()
            epoch(graph, weight, correct)
            taken.append(time.process_time() - started)
        return statistics.median(taken)

    first = timed(edge_index, None, False)
    hubs = degree(edge_index[0], n).topk(100).indices
    n_added = int(int(0.05 * 2 * m) / 2)
    started = time.process_time()
    added, probs = e_step(z.detach(), edge_index, n_added, hubs)
    graph = torch.cat([edge_index, added, added.flip(0)], dim=1)
    weight = torch.cat([torch.ones(2 * m), probs, probs])
    e_seconds = time.process_time() - started
    second = timed(graph, weight, True)
    with torch.no_grad():
        z = net(data.x, edge_index, None)
        pairs = (
            torch.from_numpy(split.test_edges.T.copy()).long(),
            torch.from_numpy(split.test_non_edges.T.copy()).long(),
        )
        scores = torch.cat([decode(z, pairs[0]), decode(z, pairs[1])]).numpy()
    labels = [1] * pairs[0].shape[1] + [0] * pairs[1].shape[1]
    finish(epoch_1=first, e_step=e_seconds, epoch_2=second, auroc=float(roc_auc_score(labels, scores)))


if __name__ == "__main__":
    main()
