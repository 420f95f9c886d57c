"""Names that want to be more: 200 scripts, 75 formulas and breakers of cells as nodes, given to `pulink find`.

    python -m torture.names

Scripts: the report is opened in Chromium, as it is and without its policy, and a reader's every move is made; none
may run. Formulas: missing_links.csv and what a pipe gets are read as an eager spreadsheet reads, with every choice
of separators, and by LibreOffice where it is installed; no cell may be computed, and pulink must read the true
names back. Commands to a terminal: none may reach one. Paths: nothing may be written or opened there. Each proof
is made once more with a report, a list or a screen that does not escape, to show that it would see a failure. Exit
status 1 if there is one.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl

from pulink.cli.app import main as pulink_main
from torture.browser import CHROMIUM, browse, look
from torture.libreoffice import SOFFICE, computed
from torture.payloads import FORMULAS, PATHS, SCRIPTS, SPLIT, TERMINAL
from torture.spreadsheet import CHOICES, ever_formulas, formulas

_METHOD = ("--method", "l3n", "--threads", "1", "--per-node", "2")
# All that Rich writes by itself.
_STYLES = re.compile(r"\x1b\[[0-9;]*m")
_BAR = re.compile(r"\x1b\[(2K|1?A|\?25[lh])|\r")
_TAGS = {"img", "iframe", "object", "embed", "video", "audio", "base", "link", "foreignobject", "math"}


class Terminal(io.StringIO):
    """A stream behind which a person seems to sit."""

    def isatty(self) -> bool:
        return True


def run(*arguments: str, terminal: bool = False) -> tuple[int, str, str]:
    """Status and both streams of the command, in this process."""
    out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
    status: object = 0
    with mock.patch.object(sys, "argv", ["pulink", *arguments]), redirect_stdout(out), redirect_stderr(err):
        try:
            pulink_main()
        except SystemExit as end:
            status = end.code or 0
    return int(str(status)), out.getvalue(), err.getvalue()


def write_graph(names: tuple[str, ...], folder: Path, file: str = "edges.parquet") -> tuple[str, str]:
    """Names as nodes of a graph, as attributes and as a column of a node table; both files' names."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    low, high = np.triu_indices(len(names), k=1)
    near = (low // 10 == high // 10) & (random.random(len(low)) < 0.6)
    far = random.random(len(low)) < 0.02
    chain = high == low + 1
    chosen = np.flatnonzero(near | far | chain)
    edges = pl.DataFrame({"source": [names[k] for k in low[chosen]], "target": [names[k] for k in high[chosen]]})
    kinds = [names[k // 5] for k in range(len(names))]
    edges.write_parquet(folder / file)
    pl.DataFrame({"id": names, "kind <svg onload=ran(9002)>": kinds}).write_parquet(folder / "nodes.parquet")
    return file, "nodes.parquet"


def scripts(home: Path) -> Iterator[str]:
    """Failures of the report and the page of an evaluation."""
    edges, nodes = write_graph(SCRIPTS, home, "<img src=x onerror=ran(9001)>.parquet")
    with chdir(home):
        yield from _ended(run("find", edges, "--nodes", nodes, "--out", "out", *_METHOD))
        yield from _ended(run("evaluate", edges, "--method", "l3n", "--threads", "1", "--out", "judged"))
    page = (home / "out" / "report.html").read_text()
    shown = sum(_visible(name) in _text_of(page) for name in SCRIPTS)
    _say(f"scripts: {shown} of {len(SCRIPTS)} names stand on the page of {len(page) / 1e6:.1f} MB")
    if shown < len(SCRIPTS):
        yield f"only {shown} of {len(SCRIPTS)} names are on the page"
    if CHROMIUM is None:
        yield "Chromium is not installed: nothing was proved of scripts"
        return
    for file in (home / "out" / "report.html", home / "judged" / "evaluation.html"):
        yield from _opened(file.read_text(), file.name, home / "browser")
    raw = "<!doctype html><html><head><title></title></head><body>" + "".join(
        f"<div>{name}</div>" for name in SCRIPTS
    )
    ran = {number for number in look(raw, home / "raw").ran if isinstance(number, int)}
    _say(f"scripts: not escaped, {len(ran)} of {len(SCRIPTS)} ran in the same browser before one ate the rest")
    if len(ran) < 10:
        yield "the proof sees nothing: hardly a script ran that was not escaped"


def _opened(page: str, what: str, folder: Path) -> Iterator[str]:
    _, said = browse(page, folder / "plain")
    seen = look(page, folder / "watched")
    _say(f"{what}: {len(seen.ran)} scripts ran, {seen.handlers} handlers, {len(said)} lines on the console")
    if seen.ran or seen.handlers or seen.links or said:
        yield f"{what}: {seen}, console {said[:3]}"
    if strange := set(seen.tags) & _TAGS:
        yield f"{what}: elements that nobody wrote: {strange}"
    if page.count("<script") > 1 or page.count("<style") > 1:
        yield f"{what}: more than one script or style"


def sheets(home: Path) -> Iterator[str]:
    """Failures of lists that a spreadsheet opens, and of reading them back."""
    bare = (*FORMULAS, *SPLIT)
    edges, nodes = write_graph((*bare, *(quoted for name in bare if (quoted := f"'{name}") not in bare)), home)
    with chdir(home):
        yield from _ended(run("find", edges, "--nodes", nodes, "--out", "out", *_METHOD))
        yield from _ended(run("find", edges, "--nodes", nodes, "--out", "raw", "--raw-names", *_METHOD))
        _, piped, _ = run("find", edges, *_METHOD, "--quiet")
        _, suggested, _ = run("suggest", "out", FORMULAS[0], "--top", "99")
        Path("piped.tsv").write_text(piped, newline="")
        Path("suggested.tsv").write_text(suggested, newline="")
        for file in ("out/missing_links.csv", "piped.tsv", "suggested.tsv"):
            found = ever_formulas(Path(file).read_bytes())
            _say(f"formulas: {len(found)} in {file}, with {len(CHOICES)} choices of separators")
            if found:
                yield f"{file} has formulas: {found[:5]}"
        yield from _seen_unguarded((Path("raw") / "missing_links.csv").read_bytes())
        yield from _computed(home)
        for file in ("out/missing_links.csv", "piped.tsv"):
            yield from _read_back(edges, file)


def _computed(home: Path) -> Iterator[str]:
    """Formulas that LibreOffice itself finds, and whether it finds them where they are."""
    if SOFFICE is None:
        _say("LibreOffice is not installed: only its mimic judged the lists")
        return
    raw = home / "raw" / "missing_links.csv"
    lists = [home / file for file in ("out/missing_links.csv", "piped.tsv", "suggested.tsv")]
    found = computed([*lists, raw], home / "libreoffice")
    n_guarded, n_raw = sum(len(found[str(file)]) for file in lists), len(set(found[str(raw)]))
    _say(f"LibreOffice: {n_guarded} formulas in {len(lists)} lists; with --raw-names {n_raw} different ones")
    if n_guarded:
        yield f"LibreOffice computes {[formula for file in lists for formula in found[str(file)]][:5]}"
    if n_raw < 10:
        yield f"the proof sees only {n_raw} formulas in a raw list"


def _seen_unguarded(raw: bytes) -> Iterator[str]:
    """Whether formulas are noticed in a raw list, and in cells that are quoted and nothing else."""
    n_raw = len(set(formulas(raw)))
    quoted = [pl.DataFrame({"source": "a", "target": name}).write_csv(quote_style="always") for name in SPLIT]
    n_split = sum(bool(ever_formulas(row.encode())) for row in quoted)
    _say(f"formulas: with --raw-names {n_raw} different ones are seen, {n_split} in quoted cells that are split")
    if n_raw < len(FORMULAS) - 5 or n_split < 9:
        yield f"the proof sees only {n_raw} formulas in a raw list and {n_split} in quoted cells"


def _read_back(edges: str, file: str) -> Iterator[str]:
    """Every pair of the list as a known non-link of the same graph, and the list as a graph."""
    from pulink.data.absent_pairs import read_absent
    from pulink.data.read import read

    raw = json.loads(run("find", edges, *_METHOD, "--quiet", "--json")[1])["links"]
    pairs = {frozenset((link["source"], link["target"])) for link in raw}
    kept = {pair for pair in pairs if all(_survives(name, file == "piped.tsv") for name in pair)}
    marked = read_absent(file, read(edges))
    found = [] if marked.absent is None else marked.absent.tolist()
    listed = {frozenset((marked.names[a], marked.names[b])) for a, b in found}
    _say(f"{file}: {len(listed)} of {len(pairs)} pairs are read back, of {len(kept)} whose names text can hold")
    if not kept <= listed or not listed <= pairs:
        yield f"pairs that are not read back as they are: {[*map(sorted, (kept - listed) | (listed - pairs))][:3]}"
    names = set(read(file).names.series())
    if lost := {name for pair in kept for name in pair} - names:
        yield f"names that are not read back: {sorted(lost)[:5]}"


def _survives(name: str, piped: bool) -> bool:
    """Whether text keeps a name at all: blanks around it are stripped, every line end is a line feed, and a pipe
    gets no controls."""
    bare = name.removeprefix("'")
    controls = {c for c in name if unicodedata.category(c) == "Cc"} - {"\t", "\n"}
    return not controls & (controls if piped else {"\r"}) and name == name.strip() and bare == bare.strip()


def screens(home: Path) -> Iterator[str]:
    """Failures of what a person at a terminal sees."""
    names = (*TERMINAL, *SCRIPTS[:10])
    edges, nodes = write_graph(names, home)
    n_shown = 0
    with chdir(home):
        asked = [
            ("find", edges, "--nodes", nodes, "--out", "out", *_METHOD),
            ("evaluate", edges, "--method", "l3n"),
        ]
        for name, other in zip(names, (*names[1:], names[0]), strict=True):
            asked += [("suggest", "out", name), ("explain", "out", name, other), ("suggest", "out", f"{name}?")]
            asked += [("suggest", "out", name, "--json"), ("find", name), ("find", edges, "--source", name)]
        for arguments in asked:
            status, out, err = run(*arguments, terminal=True)
            n_shown += 1
            if "Traceback" in err or status not in (0, 2, 3):
                yield f"{arguments[0]} {arguments[1:]!r}: status {status}, {err[-200:]!r}"
            if bad := obeyed(out) + obeyed(_BAR.sub("", err)):
                yield f"{arguments[0]} of {arguments[-1]!r} sends {bad!r} to a terminal"
    _say(f"terminal: {n_shown} commands with {len(names)} names shown to a person")
    if not all(obeyed(name) for name in TERMINAL if "\x1b" in name or "\x9b" in name):
        yield "the proof sees nothing: a bare command is not noticed"


def obeyed(text: str) -> str:
    """What a terminal would obey: controls but for line ends and styles, and an unusual style."""
    plain = _STYLES.sub("", text.replace("\x1b[38;5;201m", "\x1b"))
    return "".join(c for c in plain if unicodedata.category(c) == "Cc" and c not in "\n")


def paths(home: Path) -> Iterator[str]:
    """Failures to keep names apart from files."""
    edges, nodes = write_graph(PATHS, home / "inside")
    opened: list[str] = []
    with _watch(opened), chdir(home / "inside"):
        yield from _ended(run("find", edges, "--nodes", nodes, "--out", "out", *_METHOD))
        for name in PATHS:
            if not name.startswith("-"):
                run("suggest", "out", name)
    wanted = {name for name in PATHS if len(name) > 4 and name not in ("model", "manifest.json", "report.html")}
    if hit := wanted & {str(path) for path in opened}:
        yield f"opened: {sorted(hit)}"
    expected = {"edges.parquet", "nodes.parquet", "out"}
    found = {path.name for path in (home / "inside").iterdir()} | {path.name for path in home.iterdir()}
    _say(f"paths: {len(PATHS)} names, {len(opened)} files opened, {len(found) - 1} entries left")
    if strange := found - expected - {"inside"}:
        yield f"files that names made: {strange}"
    if any(Path(place, "pulink-was-here").exists() for place in ("/", tempfile.gettempdir(), home)):
        yield "a file stands where a name pointed to"
    inside = {path.name for path in (home / "inside" / "out").iterdir()}
    if inside != {"missing_links.csv", "report.html", "run.json", "model"}:
        yield f"the output folder holds {inside}"


@contextmanager
def _watch(opened: list[str]) -> Iterator[None]:
    """Every file that Python opens within the block."""
    active = True

    def hook(event: str, given: tuple[object, ...]) -> None:
        if active and event in ("open", "os.mkdir", "os.rename", "os.remove", "os.listdir"):
            opened.append(str(given[0]))

    sys.addaudithook(hook)
    try:
        yield
    finally:
        active = False


def _ended(outcome: tuple[int, str, str]) -> Iterator[str]:
    if outcome[0] != 0:
        yield f"a command ended with status {outcome[0]}: {outcome[2][-300:]!r}"


def _text_of(page: str) -> str:
    """What stands on a page, without its elements."""
    from html import unescape

    return unescape(re.sub(r"<[^>]*>", "", page))


def _visible(name: str) -> str:
    """A name's last word that no page changes: hidden characters are shown in another way."""
    words: list[str] = re.findall(r"[!-~]+", name)
    return max(words, key=len)


def main() -> int:
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="pulink-names-") as folder:
        for part in (scripts, sheets, screens, paths):
            failures += [f"{part.__name__}: {failure}" for failure in part(Path(folder) / part.__name__)]
    for failure in failures:
        _say(f"FAILURE {failure}")
    _say(f"{len(failures)} failures")
    return 1 if failures else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
