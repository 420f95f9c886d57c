"""Every attempt to break pulink, one after the other, each in a process of its own.

    python -m torture                     all of them; hours
    python -m torture names kills         only these
    python -m torture --short             fewer cases of each; minutes

A part is `python -m torture.NAME`; its exit status is 0 when its promise holds. What it says goes to
torture/results/NAME.log; of whole forms only, its figures go to NAME.json there and its verdict to summary.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec

from pulink.system.files import write_atomically
from torture.kept_figures import RESULTS

SUMMARY = RESULTS / "summary.json"
_LAST_LINES = 12

# What a part is asked for in the short form; in the long form its own defaults hold.
PARTS: dict[str, tuple[str, ...]] = {
    "surprises": ("--short",),
    "inputs": ("--count", "500"),
    "names": (),
    "model_folders": ("--count", "60", "--sealed", "30", "--methods", "pull,pull-plus,gcn-ce,l3n,seal"),
    "writes": ("--every", "12"),
    "reproducible": ("--method", "heuristics", "--out", os.devnull),
    "kills": ("--count", "3", "--steps", "6"),
    "cluster": ("--count", "4"),
    "audit": ("--method", "heuristics", "--seeds", "1", "--out", os.devnull),
}


def run_part(name: str, arguments: tuple[str, ...]) -> dict[str, object]:
    """Verdict, seconds and last words of a part."""
    log = RESULTS / f"{name}.log"
    started = time.monotonic()
    with log.open("w", encoding="utf-8") as said:
        command = [sys.executable, "-m", f"torture.{name}", *arguments]
        status = subprocess.run(command, stdout=said, stderr=said, check=False).returncode
    return {
        "verdict": "holds" if status == 0 else "FAILS",
        "status": status,
        "seconds": round(time.monotonic() - started),
        "said": log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:],
    }


def main() -> int:
    names, is_short = _arguments()
    RESULTS.mkdir(exist_ok=True)
    n_failed = 0
    for name in names:
        if find_spec(f"torture.{name}") is None:
            sys.stdout.write(f"{name:16}absent\n")
            n_failed += 1
            continue
        result = run_part(name, PARTS[name] if is_short else ())
        n_failed += result["status"] != 0
        sys.stdout.write(f"{name:16}{result['verdict']:8}{result['seconds']:>7} s\n")
        sys.stdout.flush()
        if result["status"] != 0:
            sys.stdout.write("".join(f"    {line}\n" for line in result["said"]))  # type: ignore[attr-defined]
        if not is_short:
            _keep(name, result)
    sys.stdout.write(f"{len(names) - n_failed} passed, {n_failed} failed\n")
    return 1 if n_failed else 0


def _keep(name: str, result: dict[str, object]) -> None:
    """Each verdict at once: the parts take hours, and may be run on different days."""
    kept = json.loads(SUMMARY.read_text()) if SUMMARY.is_file() else {}
    kept[name] = result
    write_atomically(SUMMARY, json.dumps({key: kept[key] for key in PARTS if key in kept}, indent=1) + "\n")


def _arguments() -> tuple[list[str], bool]:
    parser = argparse.ArgumentParser(prog="python -m torture", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all if none is given")
    parser.add_argument("--short", action="store_true", help="fewer cases of each")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in PARTS]:
        parser.error(f"unknown part {unknown[0]!r}; there are {', '.join(PARTS)}")
    return given.names or list(PARTS), given.short


if __name__ == "__main__":
    sys.exit(main())
