"""No network, and no writes outside of --out and the cache: watched from inside and outside, and with both gone.

    python -m torture.surprises [--short]

inside     Python's audit events of every command: files written, networks asked, programs started
outside    the same as the system sees it (strace), which also sees what compiled libraries do
offline    `find` in a process without a network (unshare) writes the same bytes
read-only  the same with every disk read-only but --out: no home, no cache, no temporary folder, no way to write
           beside the code
lost home  the same for a user whose home cannot be entered

A proof that the system does not allow is skipped, and said so. Exit status 1 if there is a surprise.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from pulink.system.files import write_atomically
from torture.watched import CHANGES, NETWORK, PROGRAMS

_ROOT = Path(__file__).resolve().parent.parent
_RESULTS = Path(__file__).with_name("results")
_PULINK = [sys.executable, "-m", "pulink"]
_LIST = "missing_links.csv"
_SKIPPED = "skipped: the system does not allow it"
_HARMLESS = ("/dev/null", "/dev/tty", "/proc/self/clear_refs")
# `reproduce --report` draws: matplotlib asks fontconfig for the fonts once, which has a cache of its own.
_EXPECTED_PROGRAMS = (sys.executable, "fc-list")
_CALLS = (
    "socket,connect,sendto,bind,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,"
    "symlink,symlinkat,link,linkat,truncate,chmod,fchmodat,execve"
)
_STRACE_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')


def write_edges(path: Path, n_nodes: int = 40) -> None:
    """Two groups of nodes, with names."""
    rng = Random(0)  # noqa: S311 (no secret)
    pairs = [(a, b) for a in range(n_nodes) for b in range(a)]
    kept = [(a, b) for a, b in pairs if rng.random() < (0.3 if (a - b) % 2 == 0 else 0.03)]
    path.write_text("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in kept))


def every_command(folder: Path, is_short: bool) -> list[list[str]]:
    """A call of each command that looks, learns or writes; the outputs go into folder/out-*."""
    edges, found = str(folder / "edges.csv"), str(folder / "out-found")
    commands = [
        ["methods"],
        ["datasets"],
        ["find", edges, "--method", "l3n", "--out", found, "--quiet"],
        ["suggest", found, "n1"],
        ["explain", found, "n1", "n2"],
        ["estimate", edges, "--quiet"],
        ["reproduce", "--status", "--out", str(folder / "out-runs")],
    ]
    learning = ["--method", "gcn-ce", "--set", "gcn-ce.max_epochs=2", "--set", "gcn-ce.min_epochs=1"]
    longer = [
        ["evaluate", edges, "--method", "l3n", "--seeds", "1", "--out", str(folder / "out-evaluated"), "--quiet"],
        ["find", "sample", "--method", "common-neighbours", "--out", str(folder / "out-sample"), "--quiet"],
        ["find", edges, *learning, "--out", str(folder / "out-learned"), "--quiet"],
        [
            "find",
            str(folder / "edges.parquet"),
            "--method",
            "l3n",
            "--out",
            str(folder / "out-parquet"),
            "--quiet",
        ],
        ["reproduce", "--report", "--out", str(folder / "out-runs")],
    ]
    return commands if is_short else commands + longer


def watched(folder: Path, commands: list[list[str]]) -> list[str]:
    """Surprises among the audit events of these commands, all run in one process."""
    log = folder / "events"
    command = [sys.executable, "-m", "torture.watched", str(log), json.dumps(commands)]
    ended = subprocess.run(command, cwd=_ROOT, env=_settings(folder), capture_output=True, text=True, check=False)
    if ended.returncode:
        return [f"exit status {ended.returncode}: {ended.stderr[-500:]}"]
    return judged(map(json.loads, log.read_text().splitlines()), folder)


def judged(events: Iterable[dict[str, Any]], folder: Path) -> list[str]:
    """Events that nobody would expect, in words."""
    found = []
    for event in events:
        name, words = event["event"], event["words"]
        is_program = name in PROGRAMS and not any(one in words for one in _EXPECTED_PROGRAMS)
        strange = [path for path in event["paths"] if not is_expected(path, words, folder)]
        if name in NETWORK or is_program or (strange and (name == "open" or name in CHANGES)):
            found.append(f"{name} {' '.join(strange)} {words}".strip())
    return found


def is_expected(path: str, words: str, folder: Path) -> bool:
    """Within an output folder or the cache; or without a name, where an output folder is going to be made."""
    place = Path(os.path.normpath(path))
    allowed = [
        *folder.glob("out-*"),
        folder / "cache" / "pulink",
        folder / "cache" / "fontconfig",
        folder / "events",
    ]
    inside = any(place == one or one in place.parents for one in allowed)
    return inside or (place == folder and words == "unnamed") or path in _HARMLESS


def _settings(folder: Path, **others: str) -> dict[str, str]:
    """The environment of a user with a home and a cache of his own; .pyc files are Python's affair."""
    user = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1",
            "PULINK_THREADS": "1", "NUMBA_CACHE_DIR": ""}  # fmt: skip
    return os.environ | user | others


def traced(folder: Path, commands: list[list[str]]) -> list[str]:
    """Surprises among the system calls of these commands, each run in a process of its own."""
    log = folder / "events"
    found: list[str] = []
    for command in commands:
        prefix = ["strace", "-f", "-qq", "-y", "-e", f"trace={_CALLS}", "-o", str(log)]
        ended = subprocess.run(
            [*prefix, *_PULINK, *command],
            cwd=_ROOT,
            env=_settings(folder),
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            return [*found, f"{command[0]}: exit status {ended.returncode}: {ended.stderr[-500:]}"]
        found += [f"{command[0]}: {line}" for line in log.read_text().splitlines() if _is_strange(line, folder)]
    return found


def _is_strange(line: str, folder: Path) -> bool:
    """One line of strace: a network, a foreign program, or a change outside."""
    call = re.match(r"\d+ +(\w+)\(", line)
    if call is None or re.search(r"\) += -1 ", line):
        return False
    if call[1] in ("socket", "connect", "sendto", "bind"):
        return "AF_INET" in line
    if call[1] == "execve":
        return not any(f'{one}", [' in line for one in _EXPECTED_PROGRAMS)
    if call[1].startswith("open") and not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", line):
        return False
    words = "unnamed" if "O_TMPFILE" in line else ""
    return not all(is_expected(path, words, folder) for path in _strace_paths(line))


def _strace_paths(line: str) -> Iterator[str]:
    for base, path in _STRACE_PATH.findall(line):
        yield str(Path(base or _ROOT) / path)


def deprived(folder: Path, wrapper: list[str], settings: dict[str, str], method: str) -> list[str]:
    """`find` where something is taken away: the same list as with everything."""
    edges = folder / "edges.csv"
    command = [*_PULINK, "find", str(edges), "--method", method, "--top", "20", "--quiet", "--out"]
    whole = folder / f"out-{method}"
    if not (whole / _LIST).exists():
        subprocess.run([*command, str(whole)], env=_settings(folder), capture_output=True, check=True)
    out = folder / "out-deprived"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    ended = subprocess.run(
        [*wrapper, *command, str(out)],
        env=_settings(folder, **settings),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        return [f"exit status {ended.returncode}: {(ended.stderr or ended.stdout)[-500:]}"]
    same = (out / _LIST).read_bytes() == (whole / _LIST).read_bytes()
    said = [f"said {ended.stderr[-300:]!r}"] if ended.stderr else []
    return said if same else [*said, "another list of links"]


def read_only(folder: Path) -> list[str]:
    """What comes before a command so that it runs with every disk read-only but folder/out-deprived."""
    out = folder / "out-deprived"
    script = f"""set -e
mount --bind {out} {out}
mount -o remount,ro,bind /
for place in /tmp /dev/shm /var/tmp {_ROOT}; do
  if mountpoint -q $place; then mount -o remount,ro,bind $place; fi
done
if touch {folder}/x 2>/dev/null || touch {_ROOT}/x 2>/dev/null; then echo the disk is not read-only >&2; exit 9; fi
exec "$@" """
    return ["unshare", "-rmn", "sh", "-c", script, "sh"]


def _can(*command: str) -> bool:
    """Whether the system lets us do this."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def proofs(folder: Path, is_short: bool) -> Iterator[tuple[str, Callable[[], list[str]] | None]]:
    """Each proof by name, which answers with surprises; None where the system does not allow it."""
    commands = every_command(folder, is_short)
    yield "inside", partial(watched, folder, commands)
    can_trace, can_unshare = _can("strace", "-qq", "-o", os.devnull, "true"), _can("unshare", "-rmn", "true")
    yield "outside", partial(traced, folder, commands[2:3] if is_short else commands) if can_trace else None
    # A file in the place of a home: not even root can make folders in it.
    no_home = {"HOME": str(folder / "edges.csv"), "XDG_CACHE_HOME": ""}
    yield "lost home", partial(deprived, folder, [], no_home, "l3n")
    for method in ("l3n",) if is_short else ("l3n", "gcn-ce", "pull-plus"):
        for name, wrapper in (("offline", ["unshare", "-rn"]), ("read-only", read_only(folder))):
            proof = partial(deprived, folder, wrapper, {}, method)
            yield f"{name}, {method}", proof if can_unshare else None


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m torture.surprises", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--short", action="store_true", help="fewer commands and methods")
    is_short = parser.parse_args().short
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="pulink-surprises-") as name:
        folder = Path(name).resolve()
        prepare(folder)
        for proof, prove in proofs(folder, is_short):
            (folder / "events").unlink(missing_ok=True)
            found = None if prove is None else prove()
            results[proof] = _SKIPPED if found is None else found
            verdict = _SKIPPED if found is None else f"{len(found)} surprises"
            sys.stdout.write(f"{proof:24}{verdict}\n" + "".join(f"    {one}\n" for one in found or ()))
            sys.stdout.flush()
    if not is_short:
        write_atomically(_RESULTS / "surprises.json", json.dumps(results, indent=1) + "\n")
    return 1 if any(isinstance(found, list) and found for found in results.values()) else 0


def prepare(folder: Path) -> None:
    """The files that the commands read, and an empty home."""
    import polars as pl

    write_edges(folder / "edges.csv")
    pl.read_csv(folder / "edges.csv").write_parquet(folder / "edges.parquet")
    (folder / "home").mkdir()
    (folder / "cache").mkdir()


if __name__ == "__main__":
    sys.exit(main())
