"""What workers of one training tell each other, over torch.distributed's collectives.

Rows that everybody reads lie once on each machine: workers of one machine write theirs into memory that all of
them map, and the first worker of a machine sends its machine's rows to the others' first workers. Sums are the
same for any number of workers: see `shards`.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
import torch.distributed as dist

from pulink.distributed.group.shards import Shards, require_workers

F32 = npt.NDArray[np.float32]
Array = npt.NDArray[Any]

# Where Linux keeps memory that processes may share by name.
_SHARED = Path("/dev/shm")  # noqa: S108
_TOKEN = 16
_FEW = 256


class Tree:
    """Adds up arrays as a binary tree over their order, as they come."""

    def __init__(self) -> None:
        self._branches: list[tuple[int, Array]] = []

    def add(self, leaf: Array) -> None:
        """The next one; their number must be a power of two in the end."""
        size = 1
        while self._branches and self._branches[-1][0] == size:
            leaf = self._branches.pop()[1] + leaf
            size *= 2
        self._branches.append((size, leaf))

    def total(self) -> Array:
        assert len(self._branches) == 1
        return self._branches[0][1]


def tree_sum(leaves: Iterable[Array]) -> Array:
    """The sum of arrays, whose number is a power of two.

    >>> from pulink.distributed.group.group import tree_sum
    >>> float(tree_sum(iter([1.0, 2.0, 3.0, 4.0])))
    10.0
    """
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.total()


class SharedRows(Protocol):
    """A matrix with a row for each node, which every worker reads and writes its own part of."""

    own: F32

    def publish(self) -> F32:
        """All rows, when everybody has written its own; good until the next but one is published."""


class Group:
    """The workers of one training, which have joined torch.distributed's default group; alone if there is none.

    rank, size       which worker this is, of how many
    shares_memory    whether workers of one machine may share memory; simulated machines do not
    """

    def __init__(self, *, shares_memory: bool = True) -> None:
        self.is_alone = not dist.is_initialized()
        self.rank = 0 if self.is_alone else dist.get_rank()
        self.size = 1 if self.is_alone else dist.get_world_size()
        require_workers(self.size)
        self.bytes_sent = 0
        self._machines = self._found_machines() if shares_memory else [[rank] for rank in range(self.size)]
        first = [members[0] for members in self._machines]
        self._leaders = None if self.is_alone else dist.new_group(first)

    def _found_machines(self) -> list[list[int]]:
        """Workers by machine: those that can read a file which another one has just put into shared memory."""
        if self.size == 1 or not _SHARED.is_dir():
            return [[rank] for rank in range(self.size)]
        name, content = f"pulink-{secrets.token_hex(_TOKEN)}", secrets.token_bytes(_TOKEN)
        path = _SHARED / name
        told = np.frombuffer(name.encode() + content, dtype=np.uint8)
        path.touch(mode=0o600)
        path.write_bytes(content)
        try:
            others = [bytes(one) for one in self.gathered(told)]
            seen = [_holds(_SHARED / one[:-_TOKEN].decode(), one[-_TOKEN:]) for one in others]
            self.wait()
        finally:
            path.unlink()
        together = [np.flatnonzero(one).tolist() for one in self.gathered(np.array(seen, dtype=np.uint8))]
        machines = [members for rank, members in enumerate(together) if members[0] == rank]
        is_whole = sorted(rank for members in machines for rank in members) == list(range(self.size))
        # Ranks of one machine are consecutive by every launcher we know; were they not, no rows would be shared.
        in_a_row = all(members == list(range(members[0], members[-1] + 1)) for members in machines)
        return machines if is_whole and in_a_row else [[rank] for rank in range(self.size)]

    @property
    def n_machines(self) -> int:
        """Machines that share no memory."""
        return len(self._machines)

    def rows(self, shards: Shards, width: int) -> RowBuffers:
        """A matrix of so many columns for all nodes, in two copies that are used in turn."""
        return RowBuffers(self, shards, width, self._machines)

    def wait(self) -> None:
        """Until all workers are here."""
        if self.size > 1:
            dist.barrier()

    def gathered(self, array: Array) -> list[Array]:
        """The arrays of all workers, which have the same type and shape."""
        if self.size == 1:
            return [array]
        mine = torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy())
        all_of_them = [torch.empty_like(mine) for _ in range(self.size)]
        dist.all_gather(all_of_them, mine)
        self.bytes_sent += mine.numel() * (self.size - 1)
        return [one.numpy().view(array.dtype).reshape(array.shape) for one in all_of_them]

    def agree(self, is_so: bool) -> bool:
        """Whether it is so for every worker."""
        return all(bool(one[0]) for one in self.gathered(np.array([is_so])))

    def few(self, words: npt.NDArray[np.uint64]) -> list[npt.NDArray[np.uint64]]:
        """The words of all workers: in one message where they are few, as they mostly are."""
        message = np.zeros(_FEW, dtype=np.uint64)
        message[0] = len(words)
        message[1 : 1 + min(len(words), _FEW - 1)] = words[: _FEW - 1]
        told = self.gathered(message)
        if max(int(one[0]) for one in told) >= _FEW:
            return self.collected(words)
        return [one[1 : 1 + int(one[0])] for one in told]

    def collected(self, array: Array) -> list[Array]:
        """The arrays of all workers, which may differ in length."""
        lengths = [int(one[0]) for one in self.gathered(np.array([len(array)], dtype=np.int64))]
        longest = max(lengths)
        if not longest:
            return [array] * self.size
        padded = np.zeros((longest, *array.shape[1:]), dtype=array.dtype)
        padded[: len(array)] = array
        return [one[:length] for one, length in zip(self.gathered(padded), lengths, strict=True)]

    def summed(self, array: Array) -> Array:
        """The sum of what all workers' branches of the tree add up to."""
        return tree_sum(self.gathered(array))

    def counted(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The sum of whole numbers, which has no order."""
        if self.size == 1:
            return counts
        total = torch.from_numpy(counts.copy())
        dist.all_reduce(total)
        self.bytes_sent += 2 * counts.nbytes
        return np.asarray(total.numpy())

    def exchange(self, rows: F32, bounds: list[int], width: int) -> None:
        """Fill in the rows of other machines: between first workers only."""
        place = next(k for k, members in enumerate(self._machines) if self.rank in members)
        if self._machines[place][0] != self.rank or self.n_machines == 1:
            return
        whole = torch.from_numpy(rows.reshape(-1))
        mine = whole[bounds[place] * width : bounds[place + 1] * width]
        waiting = []
        for step in range(1, self.n_machines):
            to, source = (place + step) % self.n_machines, (place - step) % self.n_machines
            theirs = whole[bounds[source] * width : bounds[source + 1] * width]
            if theirs.numel():
                waiting.append(dist.irecv(theirs, self._machines[source][0], group=self._leaders))
            if mine.numel():
                waiting.append(dist.isend(mine, self._machines[to][0], group=self._leaders))
                self.bytes_sent += mine.numel() * 4
        for one in waiting:
            one.wait()  # type: ignore[union-attr]


class RowBuffers:
    """Two matrices that are used in turn: while one is written, some may still read the other."""

    def __init__(self, group: Group, shards: Shards, width: int, machines: list[list[int]]) -> None:
        self._group, self._width = group, width
        members = next(members for members in machines if group.rank in members)
        self._is_shared = len(members) > 1
        shape = 2, shards.n_nodes, width
        self._both = _mapped(group, members, shape) if self._is_shared else _fresh(shape)
        self._own = shards.rows_of_worker(group.rank, group.size)
        ends = [shards.rows_of_worker(one[0], group.size)[0] for one in machines]
        self._bounds = [*ends, shards.n_nodes]
        self._turn = 0

    @property
    def own(self) -> F32:
        """Where this worker writes its rows."""
        return self._both[self._turn, self._own[0] : self._own[1]]

    def publish(self) -> F32:
        """All rows, when everybody has written its own; good until the next but one is published."""
        rows: F32 = self._both[self._turn]
        group = self._group
        if self._is_shared:
            group.wait()
        group.exchange(rows, self._bounds, self._width)
        if self._is_shared and group.n_machines > 1:
            group.wait()
        self._turn = 1 - self._turn
        return rows


def _fresh(shape: tuple[int, ...]) -> F32:
    # Of PyTorch's memory, which begins at a cache line, so that a row of 16 lies in one.
    return torch.zeros(shape).numpy()


def _mapped(group: Group, members: list[int], shape: tuple[int, ...]) -> F32:
    """Memory that the workers of one machine share; nothing of it is left when they end, however they do."""
    name = f"pulink-{secrets.token_hex(_TOKEN)}"
    names = [bytes(one).decode() for one in group.gathered(np.frombuffer(name.encode(), dtype=np.uint8))]
    path = _SHARED / names[members[0]]
    size = max(int(np.prod(shape)) * 4, mmap.PAGESIZE)
    if group.rank == members[0]:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        try:
            os.posix_fallocate(handle, 0, size)
        except OSError as error:
            path.unlink()
            raise MemoryError(f"shared memory has no room for {size:,} bytes") from error
        os.close(handle)
    group.wait()
    handle = os.open(path, os.O_RDWR)
    memory = mmap.mmap(handle, size)
    os.close(handle)
    group.wait()
    if group.rank == members[0]:
        with contextlib.suppress(OSError):
            path.unlink()
    rows: F32 = np.frombuffer(memory, dtype=np.float32, count=int(np.prod(shape)))
    return np.asarray(rows.reshape(shape))


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False
