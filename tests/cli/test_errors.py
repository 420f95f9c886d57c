"""How failures end: a documented status, one line, no traceback, and no work for nothing."""

from __future__ import annotations

import errno
import html
import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pulink.cli.app import main
from pulink.engine.threads import MOST_THREADS
from pulink.errors import TooLargeError
from pulink.workflows import find
from tests.conftest import Write
from tests.support.command import COMMAND, call, run, start


def test_a_misspelt_file_is_bad_input(tmp_path: Path) -> None:
    outcome = run("find", "edgess.csv", cwd=tmp_path)
    assert outcome.status == 3
    assert outcome.out == ""
    assert outcome.err == "pulink: edgess.csv: no such file\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("find nowhere", 3, "no such file, and no dataset of that name"),
        ("find samplle", 3, "did you mean the dataset 'sample'?"),
        ("find {edges} --nodes nodes.cvs", 3, "nodes.cvs: no such file"),
        ("find {edges} --method pul", 2, "unknown method 'pul'. Did you mean 'pull'? Known: "),
        ("evaluate {edges} --method pull,gnc-ce", 2, "Did you mean 'gcn-ce'?"),
        ("evaluate {edges} --method ,", 2, "--method needs at least one name"),
        ("evaluate {edges} --val-ratio .6 --test-ratio .6", 2, "val + test must stay below 1"),
        ("find {edges} --source kind", 2, "has no column 'kind' (its columns are source, target)"),
        ("find {edges} --column kind", 2, "--column takes NAME=KIND"),
        ("find {edges} --node-id id", 2, "--node-id goes with --nodes"),
        ("find {edges} --column year=number", 2, "pulink: --column goes with --nodes"),
        ("find {edges} --nodes x.npz --column year=number", 3, "x.npz: no such file"),
        ("find {edges} --encoding klingon", 2, "not known to Python"),
        ("find sample --nodes {edges}", 2, "--nodes goes with a file; 'sample' is a dataset"),
        ("find sample --header", 2, "--header goes with a file"),
        ("find {edges} --out {edges}/out", 5, "cannot write into"),
        ("find {edges} --out {edges}", 5, "cannot write into"),
    ],
)
def test_a_failure_is_one_line_with_its_status(
    planted_csv: Path, arguments: str, status: int, message: str
) -> None:
    outcome = call(*arguments.format(edges=planted_csv).split())
    assert outcome.status == status
    assert outcome.out == ""
    *before, line = outcome.err.splitlines()
    assert line.startswith("pulink: ")
    assert message in line
    assert all(said.startswith(("read ", "seed ")) for said in before)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"source,target\na,b\n\nb,\n", "edges.csv, line 4: target is empty"),
        (b"source,target\na,b,c\n", "edges.csv, line 2: 3 columns where line 1 has 2"),
        (b"a,b\nZ\xfcrich,b\n", "edges.csv, line 2: not UTF-8"),
        (b"source,target\n", "edges.csv: has columns (source, target) but no rows"),
        (b"", "edges.csv: is empty"),
        (b"x,x\ny,y\n", "the graph has 2 nodes and no edges"),
    ],
)
def test_bad_input_names_file_and_line(write: Write, content: bytes, message: str) -> None:
    outcome = call("find", str(write("edges.csv", content)), "--quiet")
    assert outcome.status == 3
    assert outcome.out == ""
    assert outcome.err.startswith("pulink: ")
    assert outcome.err.count("\n") == 1
    assert message in outcome.err


def test_names_cannot_reach_the_terminal_raw(write: Write) -> None:
    outcome = call("find", str(write("edges.csv", "source,target\na,b\n")), "--source", "\x1b[31mred")
    assert outcome.status == 2
    assert "\x1b" not in outcome.err
    assert "\\x1b[31mred" in outcome.err


def test_a_folder_of_somebody_else_is_refused_before_any_work(planted_csv: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.tex").write_text("years of work")
    outcome = call("find", str(planted_csv), "--out", str(tmp_path))
    assert outcome.status == 5
    assert "which pulink did not write there" in outcome.err
    assert outcome.err.count("\n") == 1
    assert (tmp_path / "model" / "thesis.tex").read_text() == "years of work"


def test_a_failure_leaves_no_folder_behind(planted_csv: Path, tmp_path: Path) -> None:
    assert call("find", f"{planted_csv}x", "--out", str(tmp_path / "out")).status == 3
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("error", [TooLargeError("the work needs 9 GB"), MemoryError()])
def test_what_does_not_fit_in_memory(
    planted_csv: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(find, "open_graph", refuse)
    outcome = call("find", str(planted_csv))
    assert outcome.status == 4
    assert outcome.err.count("\n") == 1


def test_kernels_that_are_not_compiled_are_refused_in_a_line(
    planted_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    outcome = call("find", str(planted_csv), "--method", "l3n")
    assert outcome.status == 2
    assert outcome.err == "pulink: NUMBA_DISABLE_JIT is set; pulink needs its compiled kernels: unset it\n"
    assert call("methods").status == 0


def test_an_interrupt_ends_with_one_line_and_nothing_half_written(planted_csv: Path, tmp_path: Path) -> None:
    # A shell that runs tests in the background tells its children to ignore interrupts.
    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    endless = ("--method", "pull", "--set", "pull.n_epochs=1000000")
    process = start("find", str(planted_csv), *endless, cwd=tmp_path, preexec_fn=heed)
    try:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(f"read {planted_csv}: ")
        assert process.stderr.readline().startswith("read as undirected")
        assert process.stderr.readline().startswith("seed 0, ")
        assert process.stderr.readline().startswith("this will take about ")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == ""
    assert err == "pulink: interrupted; no file is incomplete\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_reader_that_leaves_is_no_failure() -> None:
    process = start("datasets")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None
    assert "Error" not in process.stderr.read()
    process.stderr.close()


def test_a_full_disk_behind_stdout_cannot_be_written() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as sink:
        process = start("datasets", stdout=sink)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert err.splitlines()[-1] == "pulink: cannot write to standard output: No space left on device"
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["find {edges} --out", "evaluate {edges} --out", "reproduce --results"])
def test_a_folder_without_a_name_is_refused(planted_csv: Path, command: str) -> None:
    outcome = call(*command.format(edges=planted_csv).split(), "")
    assert outcome.status == 2
    assert "the folder's name is empty" in outcome.err


@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("find", "missing_links.csv"),
        ("find", "report.html"),
        ("find", "run.json"),
        ("evaluate", "evaluation.json"),
        ("evaluate", "evaluation.html"),
    ],
)
def test_a_folder_in_the_place_of_a_result_is_seen_before_the_work(
    planted_csv: Path, tmp_path: Path, command: str, taken: str
) -> None:
    (tmp_path / "out" / taken).mkdir(parents=True)
    outcome = call(command, str(planted_csv), "--method", "l3n", "--out", str(tmp_path / "out"))
    assert outcome.status == 5
    assert outcome.err.endswith(f"{taken}: it is a folder, and a file is to be made\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [taken]


def test_a_model_is_not_put_in_the_place_of_something_else(planted_csv: Path, tmp_path: Path) -> None:
    thesis = tmp_path / "out" / "model" / "thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("years of work")
    (thesis.parent / "manifest.json").write_text('{"name": "my browser extension"}')
    outcome = call("find", str(planted_csv), "--method", "l3n", "--out", str(tmp_path / "out"))
    assert outcome.status == 5
    assert "which pulink did not write there" in outcome.err
    assert thesis.read_text() == "years of work"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("methods", marks=pytest.mark.slow),
        pytest.param("find {edges} --method l3n --quiet", marks=pytest.mark.slow),
        "--version",
    ],
)
def test_a_standard_output_that_is_closed_or_full_is_no_traceback(planted_csv: Path, command: str) -> None:
    words = [COMMAND, *command.format(edges=planted_csv).split()]
    for redirection in (">&-", ">/dev/full"):
        line = f"{shlex.join(words)} {redirection}"
        ended = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        assert ended.returncode == 5
        assert len(ended.stderr.splitlines()) == 1
        assert ended.stderr.startswith("pulink: ")


def test_a_closed_standard_output_takes_no_data_unless_a_folder_has_them(
    planted_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, status in (((), 5), (("--out", str(tmp_path / "out")), 0)):
        with monkeypatch.context() as patched, pytest.raises(SystemExit) as ended:
            patched.setattr(
                sys, "argv", ["pulink", "find", str(planted_csv), "--method", "l3n", "--quiet", *words]
            )
            patched.setattr(sys, "stdout", None)
            main()
        assert ended.value.code == status


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--top", "0"], "--top must be at least 1, got '0'"),
        (["--seed=-1"], "--seed must be at least 0, got '-1'"),
        (["--top", "3", "--top", "many"], "--top must be a whole number, got 'many'"),
        (["--min-probability", "2"], "--min-probability must be at most 1, got '2'"),
        (["--top"], "Option '--top' requires an argument"),
        (["--bogus"], "unknown option of find '--bogus'. All options: pulink find --help"),
        (["--sed", "1"], "unknown option of find '--sed'. Did you mean '--seed'? All options: pulink find --help"),
    ],
)
def test_what_is_typed_wrongly_is_told_in_one_line(planted_csv: Path, words: list[str], message: str) -> None:
    outcome = call("find", str(planted_csv), *words)
    assert (outcome.status, outcome.err) == (2, f"pulink: {message}\n")


def test_an_argument_that_is_missing_is_told_in_one_line() -> None:
    outcome = call("find")
    assert outcome.err == "pulink: Missing argument 'EDGES'; all that can be typed: pulink find --help\n"


def test_a_file_and_a_folder_do_not_claim_the_same_place(planted_csv: Path, tmp_path: Path) -> None:
    for name in ("run.json", "model/links.csv"):
        outcome = call("find", str(planted_csv), "-o", f"{tmp_path}/out/{name}", "--out", f"{tmp_path}/x/../out")
        assert outcome.status in (2, 5)
    outcome = call("find", str(planted_csv), "-o", f"{tmp_path}/run.json", "--out", str(tmp_path))
    assert outcome.status == 2
    assert outcome.err.endswith("would write the same file: name another for -o\n")


@pytest.mark.parametrize(
    "arguments", [("find",), ("evaluate",), ("estimate",), ("suggest", "x"), ("explain", "x", "y")]
)
@pytest.mark.parametrize("ending", ["", ".csv"])
def test_a_name_that_is_too_long_is_bad_input_and_cut(arguments: tuple[str, ...], ending: str) -> None:
    command, *others = arguments
    outcome = call(command, "a" * 5_000 + ending, *others)
    assert outcome.status == 3
    assert outcome.err == (
        f"pulink: {'a' * 60}… ({5_000 + len(ending):,} characters): cannot be read (File name too long)\n"
    )


@pytest.mark.parametrize("arguments", [("find", "closed/edges"), ("suggest", "closed/model", "x")])
def test_a_folder_without_permission_is_bad_input(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    def refuse(path: Path, **_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as closed:
        closed.setattr(Path, "stat", refuse)
        outcome = call(*arguments)
    assert (outcome.status, outcome.err) == (3, f"pulink: {arguments[1]}: cannot be read (Permission denied)\n")


def test_no_end_of_threads_is_refused(planted_csv: Path) -> None:
    outcome = call("find", str(planted_csv), "--threads", str(MOST_THREADS + 1))
    assert outcome.status == 2
    assert outcome.err == f"pulink: --threads must be at most {MOST_THREADS}, got '{MOST_THREADS + 1}'\n"


def test_a_closed_standard_input_is_bad_input() -> None:
    ended = subprocess.run(
        ["/bin/sh", "-c", f"exec {shlex.quote(COMMAND)} find - --method l3n <&-"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3
    assert ended.stderr == ("pulink: standard input: is closed; send a stream to it, or pass the name of a file\n")


@pytest.mark.parametrize("command", ["find", "evaluate"])
def test_a_file_whose_name_is_no_text_leaves_every_file(write: Write, tmp_path: Path, command: str) -> None:
    edges = write("\udcff'.csv", "".join(f"n{k},n{(k + step) % 9}\n" for k in range(9) for step in (1, 2)))
    outcome = call(command, str(edges), "--method", "l3n", "--out", str(tmp_path / "out"), "--json")
    assert outcome.status == 0, outcome.err
    shown = f"{tmp_path}/\\xff'.csv"
    record, page = ("run.json", "report.html") if command == "find" else ("evaluation.json", "evaluation.html")
    for text in (outcome.out, (tmp_path / "out" / record).read_text()):
        content = json.loads(text)
        assert (content["settings"] if command == "find" else content)["edges"] == shown
    assert html.escape(shown) in (tmp_path / "out" / page).read_text()
    assert not (tmp_path / "out" / ".unfinished").exists()
