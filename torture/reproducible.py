"""Every method, several processes: not a byte of what `find` writes depends on the order of rows or the hash seed.

    python -m torture.reproducible [--method pull,l3n] [--out torture/results]

All methods run in each of several processes: on files as they are, with rows shuffled and ends swapped under other
hash seeds and time zones, and twice with two threads (whose bytes may be others than those of one thread). The
whole folders are compared: the list, the page, the record, the model. Exit status 1 if one differs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.contract.test_reproducible import TIME
from tests.support.command import call
from tests.support.shuffled import command, write_graph, written

import pulink
from pulink.system.files import write_atomically

# Hash seed, order of the rows, threads: the first of each number of threads is what the others are compared with.
RUNS = ((0, None, 1), (1, 5, 1), (2, 6, 1), (3, None, 2), (4, 7, 2))


def find_all(folder: Path, methods: list[str], order: int | None, threads: int) -> None:
    """In this process: what `find` writes for each method, in a folder of its name."""
    for method in methods:
        place = folder / method
        write_graph(place, order)
        with contextlib.chdir(place):
            ended = call(*command(method, pulink.METHODS[method].predictor.parameter_names(), threads))
        if ended.status:
            raise RuntimeError(f"{method}: {ended.err}")


def in_a_process(folder: Path, methods: list[str], hash_seed: int, order: int | None, threads: int) -> None:
    question = json.dumps([str(folder), methods, order, threads])
    env = os.environ | {"PYTHONHASHSEED": str(hash_seed), "TZ": f"XYZ{hash_seed}"}
    subprocess.run([sys.executable, "-m", "torture.reproducible", "--worker", question], env=env, check=True)


def compared(method: str, folders: list[Path]) -> dict[str, object]:
    first: dict[int, dict[str, bytes]] = {}
    differing: set[str] = set()
    dated: set[str] = set()
    for folder, (_, _, threads) in zip(folders, RUNS, strict=True):
        files = written(folder / method / "out")
        reference = first.setdefault(threads, files)
        differing |= {name for name in {*files, *reference} if files.get(name) != reference.get(name)}
        dated |= {name for name, content in files.items() if TIME.search(content)}
    links = [first[threads]["missing_links.csv"] for threads in (1, 2)]
    return {
        "method": method,
        "runs": len(RUNS),
        "files": len(first[1]),
        "differing": sorted(differing),
        "dated": sorted(dated),
        "two_threads_write_the_same_list": links[0] == links[1],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Same seed, same bytes, for every method.")
    parser.add_argument("--method", default="all", help="names of methods and groups, with commas between")
    parser.add_argument("--out", type=Path, default=Path("torture/results"))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        folder, methods, order, threads = json.loads(arguments.worker)
        find_all(Path(folder), methods, order, threads)
        return 0
    methods = pulink.methods.registry.expand(arguments.method.split(","))
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch, str(k)) for k in range(len(RUNS))]
        for folder, (hash_seed, order, threads) in zip(folders, RUNS, strict=True):
            in_a_process(folder, methods, hash_seed, order, threads)
        rows = [compared(method, folders) for method in methods]
    for row in rows:
        print(json.dumps(row))
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_atomically(arguments.out / "reproducible.json", json.dumps(rows, indent=1) + "\n")
    return int(any(row["differing"] or row["dated"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
