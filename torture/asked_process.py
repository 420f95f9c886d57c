"""A process that is asked one question after the other: one that kills or hangs it costs no more than a new start.

`AskedProcess` is the side that asks, `answer_all` the side that answers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from pulink.engine.memory import peak_bytes, reset_peak, resident_bytes

Answer = dict[str, Any]

_PATIENCE = 120.0
_MOST = 3_000_000_000


class AskedProcess:
    """`python -m MODULE`, which answers by `answer_all`."""

    def __init__(self, module: str, noise: Path) -> None:
        self._command = [sys.executable, "-m", module, str(noise)]
        self._process: subprocess.Popen[str] | None = None

    def ask(self, question: dict[str, Any]) -> Answer:
        """fate, told, seconds of the processor, bytes at most, and grown: how much more than before."""
        process = self._process = self._process or self._started()
        answers: Queue[str] = Queue()
        threading.Thread(target=_listen, args=(process, answers), daemon=True).start()
        _tell(process, json.dumps(question))
        line = _patiently(process, answers)
        if line:
            answer: Answer = json.loads(line)
            return answer
        self.stop()
        fate = "hung, or took gigabytes" if line is None else f"died (status {process.returncode})"
        return {"fate": "violation", "told": f"the process {fate}", "seconds": _PATIENCE, "bytes": 0, "grown": 0}

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answer_all(outcome: Callable[[dict[str, Any]], tuple[str, str]]) -> None:
    """Answer every line of the input; what a library writes to the terminal on its own is noise: a violation."""
    noise = Path(sys.argv[1])
    os.dup2(os.open(noise, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    for line in sys.stdin:
        heard, before = noise.stat().st_size, resident_bytes()
        reset_peak()
        started = _seconds()
        fate, told = outcome(json.loads(line))
        spent = _seconds() - started
        if noise.stat().st_size > heard:
            fate, told = "violation", f"noise on the terminal: {noise.read_bytes()[heard:][:300]!r}"
        answer = {"fate": fate, "told": told, "seconds": spent, "bytes": peak_bytes()}
        print(json.dumps(answer | {"grown": max(0, peak_bytes() - before)}), flush=True)


def _tell(process: subprocess.Popen[str], question: str) -> None:
    if process.stdin is not None:
        process.stdin.write(question + "\n")
        process.stdin.flush()


def _listen(process: subprocess.Popen[str], answers: Queue[str]) -> None:
    if process.stdout is not None:
        answers.put(process.stdout.readline())


def _patiently(process: subprocess.Popen[str], answers: Queue[str]) -> str | None:
    """An answer; "" from a process that died, None from one that takes too long or too much."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and _resident(process.pid) < _MOST:
        try:
            return answers.get(timeout=0.5)
        except Empty:
            continue
    return None


def _resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:")), 0)


def _seconds() -> float:
    """Of the processor, children's included: a busy machine does not count."""
    return sum(os.times()[:4])
