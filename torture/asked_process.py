"""A process that is asked one question after the other: one that kills or hangs it costs no more than a new start.

`AskedProcess` is the side that asks, `answer_all` the side that answers. Seconds of the processor are those of the
process and its children, and a busy machine does not change them; no answer within HANG seconds by the clock is a
hang, whatever the process did or slept. Memory is that of the process, or of it and a child where that was more.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from pulink.system.memory import peak_bytes, reset_peak, resident_bytes

Answer = dict[str, Any]

# Of the processor and of memory, for one question.
SECONDS = 5.0
BYTES = 1_000_000_000
# By the clock: SECONDS of the processor on a machine that has six times as much to do.
HANG = 30.0

_START = 180.0
_KILLED_AT = 3 * BYTES
_READY = "ready"


class AskedProcess:
    """`python -m MODULE`, which answers by `answer_all`."""

    def __init__(self, module: str, noise: Path) -> None:
        self._command = [sys.executable, "-m", module, str(noise)]
        self._process: subprocess.Popen[str] | None = None

    def ask(self, question: dict[str, Any]) -> Answer:
        """fate, told, seconds of the processor and by the clock, bytes at most, grown: how many more that was."""
        process = self._process = self._process or self._started()
        _tell(process, json.dumps(question))
        line, problem = _heard(process, HANG)
        if line:
            answer: Answer = json.loads(line)
            return answer
        self.stop()
        message = f"the process {problem or f'died (status {process.returncode})'}"
        return {"fate": "violation", "told": message, "seconds": 0.0, "clock": HANG, "bytes": 0, "grown": 0}

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line, _ = _heard(process, _START)
        if (line or "").strip() != _READY:
            process.kill()
            raise RuntimeError(f"{' '.join(self._command)} did not start: {line!r}")
        return process


def excess(answer: Answer, n_bytes: int) -> str | None:
    """What was too much of an answer; None if nothing was."""
    if answer["seconds"] <= SECONDS and n_bytes <= BYTES:
        return None
    words = f"{answer['seconds']:.1f} s of the processor, {n_bytes / 1e6:.0f} MB"
    return f"{words} ({answer['fate']}: {answer['told'][:200]})"


def answer_all(outcome: Callable[[dict[str, Any]], tuple[str, str]]) -> None:
    """Answer every line of the input; what a library writes to the terminal on its own is noise: a violation."""
    noise = Path(sys.argv[1])
    os.dup2(os.open(noise, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    print(_READY, flush=True)
    for line in sys.stdin:
        heard, before, largest = noise.stat().st_size, resident_bytes(), _largest_child()
        reset_peak()
        started, clock = _seconds(), time.monotonic()
        fate, message = outcome(json.loads(line))
        spent, passed = _seconds() - started, time.monotonic() - clock
        if noise.stat().st_size > heard:
            fate, message = "violation", f"noise on the terminal: {noise.read_bytes()[heard:][:300]!r}"
        n_bytes = _with_child(peak_bytes(), before, largest)
        answer = {"fate": fate, "told": message, "seconds": spent, "clock": passed, "bytes": n_bytes}
        print(json.dumps(answer | {"grown": max(0, n_bytes - before)}), flush=True)


def _with_child(peak: int, before: int, largest: int) -> int:
    """The peak of the process, or of it and a child that is the largest so far.

    A new child counts as large as its parent until it runs its own program, so a smaller one cannot be seen.
    """
    child = _largest_child()
    return before + child if child > max(peak, largest) else peak


def _largest_child() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def _tell(process: subprocess.Popen[str], question: str) -> None:
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):  # it died after its last answer: the next one will be missing
            process.stdin.write(question + "\n")
            process.stdin.flush()


def _heard(process: subprocess.Popen[str], patience: float) -> tuple[str | None, str | None]:
    """A line, which is empty from a process that died; or None, and what is wrong with the process."""
    answers: Queue[str] = Queue()
    threading.Thread(target=_listen, args=(process, answers), daemon=True).start()
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            return answers.get(timeout=min(0.5, patience)), None
        except Empty:
            if (n_bytes := _resident(process.pid)) > _KILLED_AT:
                return None, f"took {n_bytes / 1e9:.1f} GB"
    return None, f"hung: no answer within {patience:g} s by the clock"


def _listen(process: subprocess.Popen[str], answers: Queue[str]) -> None:
    if process.stdout is not None:
        answers.put(process.stdout.readline())


def _resident(pid: int) -> int:
    """Of a process and its children."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    resident = next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:")), 0)
    return resident + sum(_resident(int(child)) for child in children)


def _seconds() -> float:
    """Of the processor, children's included: a busy machine does not count."""
    return sum(os.times()[:4])
