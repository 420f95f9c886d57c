"""The process that hands pieces to a Ray cluster: `python -m pulink.distributed.on_ray ADDRESS FOLDER`.

This is the only file that knows Ray, and the only one whose values Ray pickles: numbers, texts and bytes of our
own formats. What pieces share lies in its object store, once on every node. Nodes have pulink installed, the same
as here: no code is shipped but the name of a function.

It is asked on its standard input and answers on its standard output (`messages`). It ends with whoever started it,
however that ends, and then removes FOLDER, which holds what pieces share. Ray may end it when a cluster is lost:
nobody else is harmed by that.

    asked     {"start": NUMBER, "task", "shared": FILE, "threads", "room": BYTES} and the piece; {"forget": FILE};
              {"group": NUMBER, "folder", "size", "threads", "room"}
    answers   {"connected": ADDRESS} or {"refused": WHY}, once; {"made": NUMBER} and what was made;
              {"number", "error", "message"}; {"nodes": [{"address", "processors", "bytes"}]} again and again
"""

from __future__ import annotations

import contextlib
import fcntl
import ipaddress
import json
import logging
import os
import queue
import secrets
import shutil
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.job import JOB
from pulink.distributed.group.rank import do_job, joined
from pulink.distributed.messages import LostWorkerError, described, receive, send
from pulink.distributed.shared_file import viewed
from pulink.distributed.task import Bench
from pulink.engine.threads import use_threads
from pulink.errors import ClusterError
from pulink.persistence.checkpoints import FITTING, Checkpoint
from pulink.system.files import write_atomically
from pulink.system.versions import source_digest, versions

# A piece that ended so many workers is given up, and one under which so many nodes were lost.
_MOST_LOST, _MOST_NODES = 3, 20
# Seconds: between two looks at nodes, for pieces that are done, before a piece is made again, and for an answer of
# an address where somebody listens.
_BETWEEN_LOOKS, _LOOK, _BREATH, _CONNECTING = 1.0, 0.05, 2.0, 5.0
_AUTH, _BY_TOKEN = "RAY_AUTH_MODE", "token"
_ADDRESS = "RAY_ADDRESS"
# What a worker of a group leaves in the folder of its job, if the job itself fails.
_ERROR, _TRAIN_FILES = "error.json", "ray"
# How Ray Train is told to see within seconds that a worker is lost.
_TRAIN = {"RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.5", "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "60"}
_SIOCGIFADDR = 0x8915
_OTHER = "a node has another pulink, or other versions of libraries"
# Names by which a machine calls itself, besides addresses.
_LOOPBACK = ("localhost",)

# What a node answers: plain values as JSON, and a checkpoint.
_Answer = tuple[str, bytes]
_Asked = queue.SimpleQueue[tuple[dict[str, Any], bytes]]


def main() -> None:
    address = sys.argv[1]
    # Whatever else is printed, by Ray for example, must not stand between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asked: _Asked = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked, Path(sys.argv[2])), daemon=True).start()
    try:
        connected = connect(address)
    except ClusterError as error:
        send(answers, {"refused": str(error)})
        return
    send(answers, {"connected": connected})
    with contextlib.suppress(OSError):
        _Driver(asked, answers).work()
    _leave()


def _listen(questions: BinaryIO, asked: _Asked, folder: Path) -> None:
    try:
        while True:
            asked.put(receive(questions))
    except (EOFError, OSError):
        shutil.rmtree(folder, ignore_errors=True)
        threading.Thread(target=_leave, daemon=True).start()
        time.sleep(_BREATH)
        os._exit(1)


def _leave() -> None:
    """What was asked of the cluster is of no use to anybody any more."""
    with contextlib.suppress(Exception):
        import ray

        ray.shutdown()
    os._exit(0)


def connect(address: str) -> str:
    """Join a cluster that only its owner can use; where its head is. ClusterError says why that cannot be."""
    host = urlsplit(address).hostname if "://" in address else None
    refuse_open(host)
    try:
        import ray
    except ImportError as error:
        raise ClusterError("Ray is not installed: pip install 'pulink[ray]'") from error
    try:
        _reach(address)
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
        found: str = ray.get_runtime_context().gcs_address
    except Exception as error:
        raise ClusterError(f"cannot use the cluster {address}: {_first_line(error)}") from error
    refuse_open(None if host is not None else _host(found))
    return address if host is not None else found


def _reach(address: str) -> None:
    """OSError where nobody listens, which Ray would try for minutes."""
    place = address if "://" in address else os.environ.get(_ADDRESS, "")
    found = urlsplit(place if "://" in place else f"//{place}")
    if found.hostname and found.port:
        socket.create_connection((found.hostname, found.port), timeout=_CONNECTING).close()


@dataclass
class _Job:
    """A piece that was asked for, and how often it was lost."""

    question: dict[str, Any]
    content: bytes
    n_dead: int = 0
    n_lost: int = 0
    n_nodes: int = 0
    again_at: float = 0.0
    error: str = ""


class _Driver:
    """One thread that asks Ray; everything that Ray is at is among `_running`."""

    def __init__(self, asked: _Asked, answers: BinaryIO) -> None:
        import ray

        self._ray = ray
        self._asked, self._answers, self._lock = asked, answers, threading.Lock()
        self._make = ray.remote(_make)
        self._refused = ray.exceptions.RayError
        self._stored: dict[str, Any] = {}
        self._running: dict[Any, _Job] = {}
        self._waiting: list[_Job] = []
        self._looked = 0.0

    def work(self) -> None:
        """As long as this process lives."""
        while True:
            if time.monotonic() - self._looked >= _BETWEEN_LOOKS:
                self._look_at_nodes()
            self._take_questions()
            now = time.monotonic()
            due, self._waiting = (
                [job for job in self._waiting if (job.again_at <= now) == is_due] for is_due in (True, False)
            )
            for job in due:
                self._begin_or_tell(job)
            if self._running:
                done, _ = self._ray.wait([*self._running], num_returns=1, timeout=_LOOK)
                for reference in done:
                    self._answer(reference)

    def _take_questions(self) -> None:
        timeout = None if self._running else _LOOK if self._waiting else _BETWEEN_LOOKS
        with contextlib.suppress(queue.Empty):
            while True:
                question, content = self._asked.get(block=timeout is not None, timeout=timeout)
                timeout = None
                if "group" in question:
                    threading.Thread(target=self._train, args=(question,), daemon=True).start()
                elif "forget" in question:
                    self._stored.pop(question["forget"], None)
                else:
                    self._waiting.append(_Job(question, content))

    def _say(self, plain: dict[str, Any], content: bytes = b"") -> None:
        with self._lock:
            send(self._answers, plain, content)

    def _train(self, question: dict[str, Any]) -> None:
        """In a thread: have Ray Train run the workers of a group, once."""
        number, folder = question["group"], Path(question["folder"])
        told: dict[str, Any] = {"made": number}
        try:
            (folder / _ERROR).unlink(missing_ok=True)
            _fit(question, folder)
        except Exception as error:
            told = {"number": number, **described(LostWorkerError(f"a worker was lost: {_first_line(error)}"))}
        with contextlib.suppress(OSError, ValueError):
            told = {"number": number, **json.loads((folder / _ERROR).read_bytes())}
        shutil.rmtree(folder / _TRAIN_FILES, ignore_errors=True)
        self._say(told, Checkpoint().to_bytes() if "made" in told else b"")

    def _begin_or_tell(self, job: _Job) -> None:
        if self._is_given_up(job):
            ended = ClusterError(f"a piece of the work ended {_MOST_LOST} workers: {job.error}")
            self._say({"number": job.question["start"], **described(ended)})
            return
        try:
            self._begin(job)
        except self._refused as error:
            refused = ClusterError(f"cannot hand a piece of the work to the cluster: {_first_line(error)}")
            self._say({"number": job.question["start"], **described(refused)})

    def _begin(self, job: _Job) -> None:
        question = job.question
        key = question["shared"]
        if key not in self._stored:
            packed = np.frombuffer(Path(key).read_bytes(), dtype=np.uint8)
            self._stored[key] = self._ray.put(packed)
        options = {"num_cpus": question["threads"], "max_retries": 0, "scheduling_strategy": "SPREAD"}
        options |= {"memory": question["room"]} if question["room"] else {}
        job.n_dead = self._n_dead()
        # Another run may use the same name for a file: the key that nodes know it by is Ray's.
        stored = self._stored[key]
        reference = self._make.options(**options).remote(
            _made_by(), question["task"], stored.hex(), stored, job.content, question["threads"]
        )
        self._running[reference] = job

    def _answer(self, reference: Any) -> None:
        job = self._running.pop(reference)
        number = job.question["start"]
        try:
            plain, content = self._ray.get(reference)
        except self._refused as error:
            self._lost(job, error)
            return
        told = json.loads(plain)
        self._say(told | ({"number": number} if "error" in told else {"made": number}), content)

    def _lost(self, job: _Job, error: Exception) -> None:
        """Made again, after a while in which the loss of a node becomes known."""
        job.n_lost, job.error = job.n_lost + 1, _first_line(error)
        job.again_at = time.monotonic() + _BREATH * 2 ** (job.n_lost - 1)
        self._waiting.append(job)

    def _is_given_up(self, job: _Job) -> bool:
        """A piece that ends whoever makes it would do so for ever; that a node was lost is not its doing."""
        if job.n_lost and self._n_dead() > job.n_dead:
            job.n_lost, job.n_nodes = job.n_lost - 1, job.n_nodes + 1
        return job.n_lost >= _MOST_LOST or job.n_nodes >= _MOST_NODES

    def _n_dead(self) -> int:
        seen = self._ray.nodes()
        return sum(not node["Alive"] for node in seen)

    def _look_at_nodes(self) -> None:
        seen = self._ray.nodes()
        nodes = [
            {
                "address": node["NodeManagerAddress"],
                "processors": node["Resources"].get("CPU", 0.0),
                "bytes": node["Resources"].get("memory", 0.0),
            }
            for node in seen
            if node["Alive"]
        ]
        self._say({"nodes": nodes})
        self._looked = time.monotonic()


@cache
def _bench() -> Bench:
    return Bench()


def _make(
    made_by: str, address: str, key: str, stored: npt.NDArray[np.uint8], piece: bytes, threads: int
) -> _Answer:
    """In a process of a node."""
    if made_by != _made_by():
        return json.dumps(described(ClusterError(_OTHER))), b""
    try:
        with use_threads(threads):
            made = _bench().make(address, key, lambda: viewed(stored.data), Checkpoint.from_bytes(piece))
        return json.dumps({}), made.to_bytes()
    except Exception as error:
        return json.dumps(described(error)), b""


def _fit(question: dict[str, Any], folder: Path) -> None:
    """What Ray Train raises has many classes."""
    os.environ.update(_TRAIN)
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

    attempt = secrets.token_hex(8)
    resources = {"CPU": question["threads"]} | ({"memory": question["room"]} if question["room"] else {})
    asked = {"folder": str(folder), "attempt": attempt, "made_by": _made_by()}
    size = ScalingConfig(num_workers=question["size"], resources_per_worker=resources)
    once = FailureConfig(max_failures=0, controller_failure_limit=0)
    run = RunConfig(name=attempt, storage_path=str(folder / _TRAIN_FILES), failure_config=once)
    trainer = DataParallelTrainer(_rank, train_loop_config=asked, scaling_config=size, run_config=run)
    trainer.fit()


def _rank(told: dict[str, Any]) -> None:
    """In a process of a node, which Ray Train has started: one worker's part of a job."""
    import ray
    from ray.train import get_context

    folder, own = Path(told["folder"]), ray.util.get_node_ip_address()
    try:
        _refuse_stranger(told, own)
        place = get_context()
        store = folder / _TRAIN_FILES / told["attempt"] / "joined"
        do_job(folder, joined(str(store), place.get_world_rank(), place.get_world_size(), _interface(own)))
    except LostWorkerError:
        raise
    except Exception as error:
        with contextlib.suppress(Exception):
            write_atomically(folder / _ERROR, json.dumps(described(error)).encode())
        raise


def _refuse_stranger(told: dict[str, Any], address: str) -> None:
    if told["made_by"] != _made_by():
        raise ClusterError(_OTHER)
    if not (Path(told["folder"]) / JOB).exists():
        raise ClusterError(
            f"node {address} does not see {told['folder']}: give --out a folder that all nodes share"
        )


def _interface(address: str) -> str:
    """The network interface that has an address of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                found = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                if socket.inet_ntoa(found[20:24]) == address:
                    return name
    return ""


@cache
def _made_by() -> str:
    """What makes the same bytes."""
    return json.dumps([versions(), source_digest(FITTING)], sort_keys=True)


def refuse_open(host: str | None) -> None:
    """Whoever reaches an open cluster runs programs on it: other machines' need a token."""
    if host is None or _is_loopback(host) or os.environ.get(_AUTH) == _BY_TOKEN:
        return
    raise ClusterError(
        f"the cluster at {host} is not of this machine alone: start it with RAY_AUTH_MODE=token, and set the same "
        "here with its token (docs/distributed.md)"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in _LOOPBACK


def _host(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
