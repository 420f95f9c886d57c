"""A Ray cluster whose nodes have addresses of their own: a network namespace for each, and a bridge between them.

Ray listens on all addresses and asks the outside for some: it never runs outside of a namespace here. Processes,
namespaces and files are gone when the block ends, however it ends. The first node is the head.

    with RayNodes([0, 1, 1]) as nodes:              processors of each node
        nodes.run(["pulink", "find", ...])          where the head is, by the address `auto`
        nodes.kill(nodes.nodes[2])                  every process of a node, at once
        nodes.add(1)                                one more node
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Self

import pulink

RAY = str(Path(sys.executable).with_name("ray"))
PORT, CLIENT_PORT = 6379, 10001
# What runs there finds this very pulink, and the tests.
_PATHS = os.pathsep.join([str(Path(pulink.__file__).parents[1]), str(Path(__file__).parents[2])])
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1", "OMP_NUM_THREADS": "1",
    # A node that is lost is known to be after three seconds.
    "RAY_health_check_initial_delay_ms": "1000", "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000", "RAY_health_check_failure_threshold": "3",
}  # fmt: skip
_TOKEN = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_STORE = 100_000_000
_PATIENCE = 90.0
_clusters = count()


def missing_tool() -> str | None:
    """What nodes in namespaces need and is not here."""
    if find_spec("ray") is None:
        return "Ray is not installed"
    if shutil.which("ip") is None or os.geteuid() != 0:
        return "ip netns needs iproute2 and root"
    name = f"pulink-{os.getpid()}-try"
    words: tuple[str, ...]
    try:
        for words in (("netns", "add", name), ("-n", name, "link", "add", "br0", "type", "bridge")):
            if subprocess.run(["ip", *words], capture_output=True, check=False).returncode:
                return f"ip {' '.join(words)} does not work here"
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return None


def has_client() -> bool:
    """Whether `ray://` can be served and used here."""
    return find_spec("grpc") is not None


@dataclass
class Node:
    """A namespace with one node of the cluster."""

    namespace: str
    address: str
    n_cpus: int
    is_alive: bool = True

    def pids(self) -> list[int]:
        """Of every process in it."""
        found = subprocess.run(
            ["ip", "netns", "pids", self.namespace], capture_output=True, text=True, check=False
        )
        return [int(pid) for pid in found.stdout.split()]

    def workers(self) -> list[int]:
        """Of those that make pieces now, or wait for one."""
        # A node ends with its agents.
        titles = {pid: _title(pid) for pid in self.pids()}
        return [pid for pid, title in titles.items() if title.startswith("ray::") and "Agent" not in title]


class RayNodes:
    """A context manager; see above.

    cpus   processors of each node, the head's first
    token  whether the cluster asks for a token
    """

    def __init__(self, cpus: Sequence[int] = (1, 1), *, token: bool = True) -> None:
        self._cpus, self._token = cpus, token
        self._name = f"pulink-{os.getpid()}-{next(_clusters)}"
        self.nodes: list[Node] = []
        self._running: list[subprocess.Popen[str]] = []

    @property
    def address(self) -> str:
        """Of the head."""
        return f"{self.nodes[0].address}:{PORT}"

    @property
    def client_address(self) -> str:
        """For whoever is on no node."""
        return f"ray://{self.nodes[0].address}:{CLIENT_PORT}"

    def __enter__(self) -> Self:
        # Sockets have names of at most 107 letters.
        self.folder = Path(tempfile.mkdtemp(prefix="pr-", dir="/tmp"))
        try:
            (self.folder / "token").write_text(secrets.token_hex(32))
            (self.folder / "token").chmod(0o600)
            _ip("netns", "add", self._bridge)
            _ip("-n", self._bridge, "link", "add", "br0", "type", "bridge")
            _ip("-n", self._bridge, "link", "set", "br0", "up")
            self.add(self._cpus[0])
            others = [self._started(n_cpus) for n_cpus in self._cpus[1:]]
            for node, process in others:
                self._joined(node, process)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, n_cpus: int) -> Node:
        """One more node, once it has joined."""
        return self._joined(*self._started(n_cpus))

    def _joined(self, node: Node, process: subprocess.Popen[bytes]) -> Node:
        try:
            status = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        if status:
            said = (self.folder / f"{node.namespace}.log").read_text(errors="replace")
            raise RuntimeError(f"a node of Ray did not start ({status}): {said[-2000:]}")
        return node

    def kill(self, node: Node) -> None:
        """As when a machine loses its power."""
        node.is_alive = False
        _kill_all(node)

    def kill_head(self) -> None:
        """Ray's own processes where the head is; whoever uses it from there is left alone."""
        for pid in self.nodes[0].pids():
            if any(name in _title(pid) for name in ("gcs_server", "raylet", "ray::")):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def outside(self) -> str:
        """A namespace that reaches the nodes and is none of them."""
        return self._namespace().namespace

    def start(
        self,
        command: Sequence[str],
        namespace: str | None = None,
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[str]:
        """Start a program in a namespace, the head's by default.

        By `auto` it joins at the head, wherever it is: Ray looks for nodes among all processes of a machine.
        """
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process: subprocess.Popen[str] = subprocess.Popen(
            ["ip", "netns", "exec", namespace or self.nodes[0].namespace, *command],
            env=self._environment() | {"RAY_ADDRESS": self.address} | dict(env or {}),
            **(pipes | options),
        )
        self._running.append(process)
        return process

    def run(
        self, command: Sequence[str], namespace: str | None = None, *, timeout: float = 300.0, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        process = self.start(command, namespace, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def close(self) -> None:
        """End all that was started."""
        for node in self._namespaces():
            _kill_all(node)
            subprocess.run(["ip", "netns", "del", node.namespace], capture_output=True, check=False)
        for process in self._running:
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _bridge(self) -> str:
        return f"{self._name}-net"

    def _namespaces(self) -> list[Node]:
        found = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
        names = [line.split()[0] for line in found.splitlines() if line.startswith(f"{self._name}-")]
        return [Node(name, "", 0) for name in names]

    def _environment(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if name not in _TOKEN}
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self.folder / "token")}
        return plain | _QUIET | (token if self._token else {}) | {"PYTHONPATH": _PATHS}

    def _namespace(self) -> Node:
        """A new one, joined to the bridge."""
        number = len(self._namespaces())
        node = Node(f"{self._name}-{number}", f"10.77.0.{number}", 0)
        _ip("netns", "add", node.namespace)
        _ip("-n", node.namespace, "link", "set", "lo", "up")
        _ip(
            "-n", node.namespace, "link", "add", "eth0", "type", "veth",
            "peer", "name", f"port{number}", "netns", self._bridge,
        )  # fmt: skip
        _ip("-n", self._bridge, "link", "set", f"port{number}", "master", "br0", "up")
        _ip("-n", node.namespace, "addr", "add", f"{node.address}/24", "dev", "eth0")
        _ip("-n", node.namespace, "link", "set", "eth0", "up")
        # It leads nowhere, but who looks which address is its own asks for a way out.
        _ip("-n", node.namespace, "route", "add", "default", "dev", "eth0")
        return node

    def _started(self, n_cpus: int) -> tuple[Node, subprocess.Popen[bytes]]:
        node = self._namespace()
        node.n_cpus = n_cpus
        self.nodes.append(node)
        words = [
            f"--num-cpus={n_cpus}", f"--object-store-memory={_STORE}", f"--node-ip-address={node.address}",
            "--disable-usage-stats", f"--temp-dir={self.folder / node.namespace.rpartition('-')[2]}",
        ]  # fmt: skip
        if len(self.nodes) == 1:
            words += [
                "--head", f"--port={PORT}", "--include-dashboard=false",
            ]  # fmt: skip
            # Ray's client is an extra of its own.
            words += [f"--ray-client-server-port={CLIENT_PORT}"] if has_client() else []
        else:
            words += [f"--address={self.address}"]
        said = (self.folder / f"{node.namespace}.log").open("wb")
        with said:
            process = subprocess.Popen(
                ["ip", "netns", "exec", node.namespace, RAY, "start", *words],
                env=self._environment(), stdout=said, stderr=said, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        return node, process


def _ip(*words: str) -> None:
    made = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {made.stderr.strip()}")


def _kill_all(node: Node) -> None:
    limit = time.monotonic() + 10.0
    while (pids := node.pids()) and time.monotonic() < limit:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
