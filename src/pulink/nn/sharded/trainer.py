"""Gradient steps of a GCN whose rows several workers hold: `nn.trainer.Trainer` and `nn.gcn_gradients`, dealt out.

Every worker holds the weights, but for the first layer's without features, which have a row for each node: of
these it holds its own. Gradients of weights are sums over nodes, added by shards. So all workers take the same
step, and no number depends on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from pulink.distributed.group.group import Group, RowBuffers, tree_sum
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.own_rows.products import add_outer, add_rows, multiply_rows, pass_back
from pulink.engine.random import stream_key, uniforms
from pulink.nn.adam import Adam
from pulink.nn.sharded.features import OwnFeatures
from pulink.nn.sharded.pair_gradient import PairGradient, ShardedTerm
from pulink.nn.sharded.propagation import Propagation

F32 = npt.NDArray[np.float32]
State = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class GCNSettings:
    """As the parameters of PULL and GCN+CE."""

    n_units: int
    n_layers: int
    learning_rate: float
    feature_scaling: str
    seed: int


class ShardedTrainer:
    """A GCN with its optimiser; names of parameters are those of `nn.encoders.GCN`.

    losses   each term's value in the last epoch
    n_steps  gradient steps so far
    is_due   what the first worker was asked in the last epoch, in every worker
    """

    def __init__(self, rows: OwnRows, group: Group, settings: GCNSettings, first_step: int = 0) -> None:
        self.rows, self.group, self.n_steps = rows, group, first_step
        self.losses: list[float] = []
        self.is_due = False
        self._seed = settings.seed
        self._bounds = rows.local_bounds
        self.features = OwnFeatures(rows, settings.feature_scaling, group)
        self._gradient = PairGradient(rows, group)
        self._buffers: RowBuffers = group.rows(rows.shards, settings.n_units)
        sizes = [self.features.n_columns] + [settings.n_units] * settings.n_layers
        self.weights = [self._glorot(k, sizes[k], sizes[k + 1]) for k in range(settings.n_layers)]
        self.biases = [np.zeros(settings.n_units, dtype=np.float32) for _ in range(settings.n_layers)]
        self._parameters = [torch.nn.Parameter(torch.from_numpy(one)) for one in [*self.weights, *self.biases]]
        self._optimizer = Adam(self._parameters, settings.learning_rate)

    def _glorot(self, layer: int, n_rows: int, n_columns: int) -> F32:
        limit = np.sqrt(6.0 / (n_rows + n_columns))
        start = 0
        if layer == 0 and self.features.is_identity:
            start, n_rows = self.rows.first, self.rows.n_rows
        key = stream_key(self._seed, "glorot", f"layer {layer}")
        draws = uniforms(key, n_rows * n_columns, start * n_columns)
        # A copy in PyTorch's memory: see `nn.encoders`.
        values = ((2 * draws - 1) * limit).astype(np.float32).reshape(n_rows, n_columns)
        return torch.from_numpy(values).clone().numpy()

    def train(
        self,
        terms: Sequence[ShardedTerm],
        n_epochs: int,
        after_epoch: Callable[[], None] | None = None,
        asks: Callable[[], bool] | None = None,
    ) -> list[float]:
        """Take `n_epochs` steps on the sum of the terms; return each term's value in the last epoch.

        asks  of the first worker: what it says is known to all after the epoch
        """
        for _ in range(n_epochs):
            self._step(terms, asks is not None and asks())
            self.n_steps += 1
            if after_epoch is not None:
                after_epoch()
        return self.losses if n_epochs else []

    def _step(self, terms: Sequence[ShardedTerm], is_due: bool) -> None:
        projected = self.features.project(self.weights[0])
        losses, branches = [], []
        first: F32 | None = None
        for number, term in enumerate(terms):
            inputs, z = self._forward(projected, term.operator)
            loss, slope = self._gradient.of(term, z, stream_key(self._seed, "non-edges", self.n_steps, number))
            losses.append(loss)
            before, found = self._backward(slope, inputs, term.operator)
            branches += found
            first = before if first is None else first + before
        assert first is not None
        of_first = self.features.project_back(first)
        if not self.features.is_identity:
            branches.append(of_first)
        totals = self._summed(branches)
        if not self.features.is_identity:
            of_first = totals.pop()
        self._set_gradients(of_first, totals, len(terms))
        self._tell(losses, is_due)
        self._optimizer.step()
        self._optimizer.zero_grad()

    def _forward(self, projected: F32, operator: Propagation) -> tuple[list[F32], F32]:
        """The inputs of the layers after the first, and the embeddings of all nodes."""
        inputs: list[F32] = []
        np.multiply(projected, operator.scale[:, None], out=self._buffers.own)
        z = operator.times(self._buffers.publish(), self.biases[0])
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            inputs.append(np.maximum(z, 0, out=z))
            multiply_rows(z, weight, operator.scale, self._buffers.own)
            z = operator.times(self._buffers.publish(), bias)
        self._buffers.own[:] = z
        return inputs, self._buffers.publish()

    def _backward(self, slope: F32, inputs: list[F32], operator: Propagation) -> tuple[F32, list[F32]]:
        """The gradient of X · W_1, and by layer those of weights (not of the first) and of biases, as branches."""
        found: list[F32] = []
        nothing = np.zeros(slope.shape[1], dtype=np.float32)
        np.multiply(slope, operator.scale[:, None], out=self._buffers.own)
        for entered, weight in zip(reversed(inputs), reversed(self.weights[1:]), strict=True):
            before = operator.times(self._buffers.publish(), nothing)
            found += [self._outer(entered, before), self._column_sums(slope)]
            turned = np.ascontiguousarray(weight.T)
            slope = np.empty_like(slope)
            pass_back(before, turned, entered, np.ones(len(slope), dtype=np.float32), slope)
            np.multiply(slope, operator.scale[:, None], out=self._buffers.own)
        before = operator.times(self._buffers.publish(), nothing)
        found.append(self._column_sums(slope))
        return before, found

    def _outer(self, rows: F32, others: F32) -> F32:
        sums = np.zeros((len(self._bounds) - 1, rows.shape[1], others.shape[1]), dtype=np.float32)
        add_outer(rows, others, self._bounds, sums)
        return np.asarray(tree_sum(sums))

    def _column_sums(self, rows: F32) -> F32:
        sums = np.zeros((len(self._bounds) - 1, rows.shape[1]), dtype=np.float32)
        add_rows(rows, self._bounds, sums)
        return np.asarray(tree_sum(sums))

    def _summed(self, branches: list[F32]) -> list[F32]:
        """Each branch with those of all workers, in one message."""
        total = self.group.summed(np.concatenate([branch.ravel() for branch in branches]))
        ends = np.cumsum([branch.size for branch in branches])
        parts = np.split(total, ends[:-1])
        return [part.reshape(branch.shape) for part, branch in zip(parts, branches, strict=True)]

    def _set_gradients(self, of_first: F32, totals: list[F32], n_terms: int) -> None:
        """totals: for each term what `_backward` found, summed."""
        each = len(totals) // n_terms
        sums = totals[:each]
        for term in range(1, n_terms):
            sums = [a + b for a, b in zip(sums, totals[term * each : (term + 1) * each], strict=True)]
        n_layers = len(self.weights)
        weights, biases = self._parameters[:n_layers], self._parameters[n_layers:]
        weights[0].grad = torch.from_numpy(np.ascontiguousarray(of_first))
        for place, layer in enumerate(range(n_layers - 1, 0, -1)):
            weights[layer].grad = torch.from_numpy(np.ascontiguousarray(sums[2 * place]))
            biases[layer].grad = torch.from_numpy(np.ascontiguousarray(sums[2 * place + 1]))
        biases[0].grad = torch.from_numpy(np.ascontiguousarray(sums[-1]))

    def _tell(self, losses: list[npt.NDArray[np.float64]], is_due: bool) -> None:
        message = np.concatenate([*losses, [float(is_due)]])
        told = self.group.gathered(message)
        by_worker = np.stack([np.split(one[:-1], len(losses)) for one in told])
        # As the trainer of one machine tells them.
        self.losses = [float(np.float32(by_worker[:, term].ravel().sum())) for term in range(len(losses))]
        self.is_due = bool(told[0][-1])

    def embed(self, operator: Propagation) -> F32:
        """The own rows' embeddings over a graph."""
        _, z = self._forward(self.features.project(self.weights[0]), operator)
        return z[self.rows.first : self.rows.first + self.rows.n_rows].copy()

    def shown(self, own: F32) -> F32:
        """The embeddings of all nodes, of which everybody brings its own rows; good until two more were shown."""
        self._buffers.own[:] = own
        return self._buffers.publish()

    def state(self) -> State:
        """A copy of the parameters; of the first layer's without features, the own rows."""
        named = {f"weights.{k}": one.copy() for k, one in enumerate(self.weights)}
        return named | {f"biases.{k}": one.copy() for k, one in enumerate(self.biases)}

    def state_dict(self) -> State:
        """All that is needed to go on from here."""
        moments = self._optimizer.state_dict()["state"]
        names = list(self.state())
        found = {
            f"adam.{names[place]}.{name}": value.numpy().copy()
            for place, moment in moments.items()
            for name, value in moment.items()
        }
        return self.state() | found

    def load_state_dict(self, state: State, n_steps: int) -> None:
        """Take back what `state_dict` gave, and how many steps had been taken."""
        names = list(self.state())
        for name, parameter in zip(names, self._parameters, strict=True):
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(state[name]))
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for place, name in enumerate(names):
            prefix = f"adam.{name}."
            moment = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
            if moment:
                moments[place] = {k: torch.from_numpy(np.array(v)) for k, v in moment.items()}
        self._optimizer.load_state_dict({"state": moments})
        self.n_steps = n_steps
