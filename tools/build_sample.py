"""Build the small real graph that ships with pulink from Debian 12's package index.

Nodes are packages of a few sections. Two packages are linked when one of them
depends on, recommends or suggests the other. Run it from the project root:

    apt-get update
    python3 tools/build_sample.py

The same index gives the same rows, and with the same zlib the same bytes.
A list that apt keeps as ``.lz4`` needs the ``lz4`` program.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import lzma
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from subprocess import PIPE

APT_LISTS = Path("/var/lib/apt/lists")
APT_PATTERN = "*_dists_bookworm_main_binary-amd64_Packages*"

SECTIONS = frozenset({"gnu-r", "math", "python", "science"})
LINK_FIELDS = ("Depends", "Pre-Depends", "Recommends", "Suggests")
NODE_COLUMNS = ["id", "section", "tags", "words"]
KEPT_FIELDS = frozenset({"Package", "Source", "Section", "Tag", "Description", *LINK_FIELDS})

# Rule "interpreter": Python, PyPy and R themselves and the parts they are split
# into. Nearly every package needs one of them, so these links say nothing.
INTERPRETER = re.compile(
    r"(lib)?python3(\.\d+)?"
    r"(-(all|all-dev|dev|distutils|examples|full|gdbm|lib2to3|minimal|nopie|stdlib|tk|venv))?"
    r"|idle.*|2to3|pypy3(-(dev|lib|lib-testsuite|tk|venv))?|r-base(-.*)?|r-recommended"
)

# Rule "plumbing": packages needed for packaging, for running tests or for
# building manuals, whatever the subject of the package that asks for them.
PLUMBING_LIST = """
dh-python python3-pbr python3-pkg-resources python3-setuptools python3-six python3-wheel
r-cran-covr r-cran-devtools r-cran-knitr r-cran-lintr r-cran-rmarkdown r-cran-roxygen2
r-cran-runit r-cran-spelling r-cran-testthat r-cran-tinytest
"""
PLUMBING = frozenset(PLUMBING_LIST.split())

# Rule "empty": debug, transitional and meta packages, which hold no software of
# their own; "-tasks" and "Debian Science ..." are mere lists of other packages.
EMPTY_NAME = re.compile(r".*-dbg(sym)?|.*-tasks")
EMPTY_TEXT = re.compile(
    r"(?i)\btransitional\b|\btransition package\b|\bdummy\b|\bmeta[- ]?package\b"
    r"|^debian science\b"
)

# Rule "companion": the manual, the examples, the tests or the data of another
# package that is built from the same source.
COMPANION = re.compile(r".*-(common|data|doc|examples?|tests?)")

# A word is a run of letters and digits; "c++" is the one exception.
WORD = re.compile(r"\bc\+\+|[^\W_]+")
ONE_LETTER_WORDS = frozenset({"c", "r"})
STOP_WORD_LIST = """
about above after all also among an and any are as at based be been being between both but by
can do does each easily easy etc for from had has have how if in including into is it its
itself just like made make makes many may more most much no nor not of off on one only onto or
other our out over own per same several so some such than that the their them then there these
they this those through to too under up upon us use used useful uses using various very via was
we well were what when where which while who will with within without you your
"""
STOP_WORDS = frozenset(STOP_WORD_LIST.split())

Package = dict[str, str]
Edge = tuple[str, str]


def read_index(path: Path) -> bytes:
    """Return the uncompressed content of a ``Packages`` file."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes())
    if path.suffix != ".lz4":
        return path.read_bytes()
    try:
        with path.open("rb") as file:
            done = subprocess.run(["/usr/bin/lz4", "-dc"], stdin=file, stdout=PIPE, check=True)
    except FileNotFoundError as error:
        raise SystemExit(f"cannot unpack {path.name}: {error}") from error
    return done.stdout


def parse_index(text: str) -> Iterator[Package]:
    """Yield the kept fields of each package of an index."""
    for block in text.split("\n\n"):
        package: Package = {}
        field = ""
        for line in block.split("\n"):
            if line[:1].isspace():
                if field in package:
                    package[field] += " " + line.strip()
                continue
            field, _, value = line.partition(":")
            if field in KEPT_FIELDS:
                package[field] = value.strip()
        if "Package" in package:
            yield package


def load_packages(paths: Iterable[Path]) -> dict[str, Package]:
    """Read all index files; when a name occurs twice, the last entry counts."""
    packages: dict[str, Package] = {}
    for path in paths:
        content = read_index(path)
        print(f"index {path.name}: sha256 {hashlib.sha256(content).hexdigest()} (unpacked)")
        packages.update((p["Package"], p) for p in parse_index(content.decode("utf-8")))
    return packages


def source_of(package: Package) -> str:
    """Return the name of the source a package is built from."""
    return package.get("Source", package["Package"]).split(" ")[0]


def select_packages(packages: dict[str, Package]) -> tuple[dict[str, Package], Counter[str]]:
    """Apply the section and the dropping rules; also count what each rule dropped."""
    built = Counter(source_of(package) for package in packages.values())
    kept: dict[str, Package] = {}
    dropped: Counter[str] = Counter()
    for name, package in packages.items():
        if package.get("Section") not in SECTIONS:
            continue
        if INTERPRETER.fullmatch(name):
            dropped["interpreter"] += 1
        elif name in PLUMBING:
            dropped["plumbing"] += 1
        elif EMPTY_NAME.fullmatch(name) or EMPTY_TEXT.search(package.get("Description", "")):
            dropped["empty"] += 1
        elif COMPANION.fullmatch(name) and built[source_of(package)] > 1:
            dropped["companion"] += 1
        else:
            kept[name] = package
    return kept, dropped


def linked_names(package: Package) -> Iterator[str]:
    """Yield every package name in the link fields, alternatives included."""
    for field in LINK_FIELDS:
        for part in re.split(r"[,|]", package.get(field, "")):
            if match := re.match(r"[a-z0-9][a-z0-9+.-]+", part.strip()):
                yield match.group()


def find_edges(packages: dict[str, Package]) -> set[Edge]:
    """Return the links between the given packages, without direction or loops."""
    return {
        (min(name, other), max(name, other))
        for name, package in packages.items()
        for other in linked_names(package)
        if other in packages and other != name
    }


def components(edges: Iterable[Edge]) -> list[set[str]]:
    """Return the connected components, the largest first."""
    near: defaultdict[str, set[str]] = defaultdict(set)
    for one, two in edges:
        near[one].add(two)
        near[two].add(one)
    found: list[set[str]] = []
    unseen = set(near)
    while unseen:
        todo = [unseen.pop()]
        reached = set(todo)
        while todo:
            fresh = near[todo.pop()] - reached
            reached |= fresh
            todo.extend(fresh)
        unseen -= reached
        found.append(reached)
    return sorted(found, key=lambda names: (-len(names), min(names)))


def node_row(package: Package) -> list[str]:
    """Return id, section, tags and the words of the short description."""
    tags = {tag.strip() for tag in package.get("Tag", "").split(",")} - {""}
    words = {
        word
        for word in WORD.findall(package.get("Description", "").lower())
        if (len(word) > 1 or word in ONE_LETTER_WORDS) and not word.isnumeric()
    }
    words -= STOP_WORDS
    return [package["Package"], package["Section"], " ".join(sorted(tags)), " ".join(sorted(words))]


def write_table(path: Path, header: list[str], rows: Iterable[Iterable[str]]) -> None:
    """Write a gzipped CSV file whose bytes depend on nothing but the rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(text.getvalue().encode("utf-8"))
    packed = path.read_bytes()
    print(f"{path.name}: {len(packed)} bytes, sha256 {hashlib.sha256(packed).hexdigest()}")


def report(nodes: list[Package], edges: list[Edge], dropped: Counter[str], parts: int) -> None:
    """Print the counts of the finished graph."""
    sections = Counter(package["Section"] for package in nodes)
    degrees = Counter(name for edge in edges for name in edge)
    tagged = sum("Tag" in package for package in nodes)
    print(f"nodes {len(nodes)}, edges {len(edges)}, with tags {tagged}")
    print("sections:", ", ".join(f"{key} {count}" for key, count in sorted(sections.items())))
    print("dropped by rule:", ", ".join(f"{key} {n}" for key, n in sorted(dropped.items())))
    print(f"components before keeping the largest: {parts}")
    top = sorted(degrees.items(), key=lambda item: (-item[1], item[0]))[:15]
    print("largest degrees:", ", ".join(f"{name} {degree}" for name, degree in top))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Build pulink's sample graph.")
    parser.add_argument("--packages", type=Path, nargs="+", help="Debian Packages index files")
    parser.add_argument("--out", type=Path, default=Path("src/pulink/data/sample"))
    options = parser.parse_args()
    paths: list[Path] = options.packages or sorted(APT_LISTS.glob(APT_PATTERN))[:1]
    if not paths:
        parser.error("no Debian 12 index found: run apt-get update or pass --packages")
    packages, dropped = select_packages(load_packages(paths))
    links = find_edges(packages)
    parts = components(links)
    if not parts:
        parser.error("the index files hold no linked packages of the chosen sections")
    nodes = [packages[name] for name in sorted(parts[0])]
    edges = sorted(edge for edge in links if edge[0] in parts[0])
    options.out.mkdir(parents=True, exist_ok=True)
    write_table(options.out / "edges.csv.gz", ["source", "target"], edges)
    write_table(options.out / "nodes.csv.gz", NODE_COLUMNS, map(node_row, nodes))
    report(nodes, edges, dropped, len(parts))


if __name__ == "__main__":
    main()
