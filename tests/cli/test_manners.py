"""What people expect of any command: -v, seeds, versions, guesses, statuses, colours, completion, Ctrl-C."""

from __future__ import annotations

import inspect
import json
import logging
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer
from sklearn.base import clone
from torture.runs import write_edges

import pulink
from pulink.cli.about import bibtex
from pulink.cli.app import app
from pulink.errors import ParameterError, UnknownParameterError
from pulink.methods.registry import METHODS
from tests.support.command import COMMAND, call
from tests.support.pseudo_terminal import on_terminal

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
QUICK = ("find", "edges.csv", "--method", "l3n", "--threads", "1")
COLOUR = re.compile(rb"\x1b\[[0-9;]*(3[0-7]|9[0-7]|38)[0-9;]*m")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_edges(tmp_path)
    return tmp_path


# -v, -q and logging


def test_verbose_adds_the_log_with_seconds_and_says_nothing_twice() -> None:
    call(*QUICK)
    plain, verbose = call(*QUICK), call(*QUICK, "-v")
    assert verbose.out == plain.out
    lines = verbose.err.splitlines()
    assert all(re.match(r" *\d+\.\d\d s  ", line) for line in lines)
    told = [line.split(" s  ", 1)[1] for line in lines]
    steady = [line for line in plain.err.splitlines() if not line.startswith("searched")]
    assert [line for line in told if line in steady] == steady
    assert any(line.startswith("L3N: fitting Graph") for line in told)
    assert not any(line.startswith("reading: done") for line in told)


def test_very_verbose_adds_how_long_stages_took() -> None:
    err = call(*QUICK, "-vv", "--out", "out").err
    for stage in ("loading libraries", "reading", "fitting", "searching", "explaining", "writing"):
        assert re.search(rf"s  {stage}: done in \d+\.\d\d\d s\n", err), stage


def test_quiet_and_verbose_contradict_each_other() -> None:
    outcome = call(*QUICK, "-q", "-v")
    assert outcome.status == 2
    assert outcome.err == "pulink: --quiet and --verbose contradict each other: give one of them\n"


def test_the_log_is_as_it_was_after_a_verbose_command(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("pulink")
    before = (logger.level, list(logger.handlers))
    call(*QUICK, "-vv")
    assert (logger.level, list(logger.handlers)) == before
    pulink.find("edges.csv", method="l3n")
    assert capsys.readouterr() == ("", "")


# what makes a run repeatable


def test_seed_and_threads_are_told() -> None:
    assert "\nseed 7, 1 thread\n" in call(*QUICK, "--seed", "7").err
    evaluated = call("evaluate", "edges.csv", "--method", "l3n", "--seeds", "2", "--seed", "3", "--threads", "2")
    assert "\nseeds 3 to 4, 2 threads\n" in evaluated.err


# versions and what to cite


def test_versions_name_what_is_installed_and_nothing_of_this_machine() -> None:
    found = json.loads(call("versions", "--json").out)
    assert found["versions"]["pulink"] == pulink.__version__
    assert found["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["extras"]["interop"]["networkx"]
    assert found["n_processors"] == os.cpu_count()
    table = call("versions").out
    assert f"pulink\t{pulink.__version__}\n" in table
    for secret in (str(Path.home()), os.uname().nodename, sys.prefix):
        assert len(secret) < 2 or secret not in table


def test_versions_are_shown_in_python(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_THREADS", "many")
    pulink.show_versions()
    out = capsys.readouterr().out
    assert re.search(rf"^pulink +{re.escape(pulink.__version__)}$", out, re.MULTILINE)
    assert re.search(r"^threads +None$", out, re.MULTILINE)


def test_what_to_cite_is_what_the_citation_file_says() -> None:
    outcome = call("cite")
    assert outcome.out == bibtex()
    plain = outcome.out.replace("{", "").replace("}", "")
    facts = (Path(__file__).parents[2] / "CITATION.cff").read_text()
    for fact in re.findall(r'^\s*-? ?(?:title|collection-title|name): "?([^"\n]+)"?$', facts, re.MULTILINE):
        assert fact in plain
    names = zip(re.findall(r'family-names: "(.+)"', facts), re.findall(r'given-names: "(.+)"', facts), strict=True)
    assert " and ".join(f"{family}, {given}" for family, given in names) in plain
    assert "year      = 2025" in plain
    assert outcome.out.count("{") == outcome.out.count("}")


# guesses


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("find", "e.csv", "--sed", "1"), "unknown option of find '--sed'. Did you mean '--seed'?"),
        (("find", "e.csv", "--known", "x"), "unknown option of find '--known'. Did you mean '--known-absent'?"),
        (("find", "e.csv", "--sed=1"), "unknown option of find '--sed'. Did you mean '--seed'?"),
        (("suggest", "m", "n", "--questions", "3"), "'--questions'. It is an option of review."),
        (("find", "e.csv", "--\x1b[31m"), "unknown option of find '--\\x1b[31m'. All options: pulink find --help"),
        (("fnd", "e.csv"), "No such command 'fnd'. Did you mean 'find'?"),
        (("find", "edges.csv", "--method", "pul-plus"), "unknown method 'pul-plus'. Did you mean 'pull-plus'?"),
        (("evaluate", "edges.csv", "--method", "l3n", "--split", "tme"), "Did you mean 'time'? Known: random"),
    ],
)  # fmt: skip
def test_a_slip_of_the_pen_is_answered_with_what_was_meant(words: tuple[str, ...], message: str) -> None:
    outcome = call(*words)
    assert outcome.status == 2
    assert message in outcome.err
    assert "\x1b" not in outcome.err


@pytest.mark.parametrize("name", sorted(METHODS))
def test_an_unknown_keyword_of_an_estimator_is_answered_so_too(name: str) -> None:
    made = METHODS[name].predictor
    with pytest.raises(TypeError) as caught:
        made(sed=1)
    assert isinstance(caught.value, UnknownParameterError | ParameterError)
    assert str(caught.value).startswith(
        f"unknown parameter of {made.__name__} 'sed'. Did you mean 'seed'? Known: "
    )
    assert tuple(inspect.signature(made).parameters) == made.parameter_names()
    model = made(seed=3)
    assert model.get_params()["seed"] == 3
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(UnknownParameterError, match="Did you mean 'seed'"):
        model.set_params(sed=1)


def test_an_unknown_keyword_of_a_function_is_answered_so_too() -> None:
    for call_it in (lambda: pulink.find("edges.csv", sed=1), lambda: pulink.read("edges.csv", sourc="a")):
        with pytest.raises(TypeError, match=r"Did you mean '(seed|source)'\?"):
            call_it()


# exit statuses


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_every_command_has_its_exit_statuses(name: str) -> None:
    page = " ".join(call(name, "--help").out.split())
    assert "Exit status: 0 done, 2 usage, " in page
    assert page.endswith("130 interrupted, 143 ended by SIGTERM")
    assert "5 cannot write" in page
    assert ("4 would not fit" in page) == (name not in ("methods", "datasets", "schema", "versions", "cite"))


# colours, and a bar for those who watch


@pytest.mark.parametrize(
    ("env", "bar", "colour"),
    [
        ({}, True, True),
        pytest.param({"NO_COLOR": "1"}, True, False, marks=pytest.mark.slow),
        pytest.param({"TERM": "dumb"}, False, False, marks=pytest.mark.slow),
        pytest.param({"TERM": "dumb", "FORCE_COLOR": "1"}, False, False, marks=pytest.mark.slow),
    ],
)
def test_on_a_terminal(env: dict[str, str], bar: bool, colour: bool) -> None:
    with on_terminal(COMMAND, *QUICK, env=env) as terminal:
        assert terminal.read_to_end() == 0
    assert (b"\x1b[?25l" in terminal.seen) is bar
    assert bool(COLOUR.search(terminal.seen)) is colour
    assert b"likeliest missing links" in terminal.seen
    if bar:
        plain = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", terminal.seen)
        assert re.search(rb"% \d+:\d\d, \S+ left", plain)


@pytest.mark.parametrize(
    ("env", "colour"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_on_a_pipe(env: dict[str, str], colour: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    few = Path("few.csv")
    few.write_text("a,b\nb,c\nc,d\nd,e\ne,f\n")
    outcome = call("find", "few.csv", "--method", "l3n")
    assert "warning:" in outcome.err
    assert bool(COLOUR.search(outcome.err.encode())) is colour
    assert "\x1b" not in outcome.out
    assert outcome.out.startswith("rank\tsource\ttarget\t")
    assert "\x1b[?25l" not in outcome.err
    assert "left" not in outcome.err


# completion


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pulink find --method l3", ["l3", "l3n"]),
        ("pulink evaluate edges.csv --method l3n,heu", ["l3n,heuristics"]),
        ("pulink find samp", ["sample"]),
        ("pulink find ed", ["edges.csv"]),
        ("pulink methods seal", ["seal"]),
        ("pulink find --see", ["--seed"]),
        ("pulink ver", ["versions"]),
    ],
)
def test_a_shell_is_offered_names(typed: str, offered: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for shell, ask in (
        ("complete_bash", {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}),
        ("complete_zsh", {"_TYPER_COMPLETE_ARGS": typed}),
        ("complete_fish", {"_TYPER_COMPLETE_ARGS": typed, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in ({"_PULINK_COMPLETE": shell} | ask).items():
                patch.setenv(name, value)
            out = call().out
        words = re.findall(r'"([^"]+)"', out) if shell == "complete_zsh" else out.split("\n")
        found = [word.split("\t")[0].split(":")[0] for word in words]
        assert [word for word in found if word in offered] == offered, (shell, out)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_for_every_shell(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PULINK_COMPLETE", f"source_{shell}")
    outcome = call()
    assert outcome.status == 0
    assert f"_PULINK_COMPLETE=complete_{shell}" in outcome.out


# standard input and Ctrl-C


def test_a_command_that_waits_for_a_person_says_so_and_ctrl_c_ends_it() -> None:
    """polars' handler stands before Python's once a query ran: a read that waits must end nevertheless."""
    code = (
        "from pulink.cli.terminal.signals import heed_signals\n"
        "heed_signals()\n"
        "import polars as pl, sys\n"
        "pl.DataFrame({'a': [1]}).lazy().select(pl.col('a') + 1).collect()\n"
        "sys.argv = ['pulink', 'find', '-', '--method', 'l3n']\n"
        "from pulink.cli.app import main\n"
        "main()\n"
    )
    with on_terminal(sys.executable, "-c", code, stdout=subprocess.DEVNULL) as terminal:
        terminal.wait_for(b"reading edges from standard input; end with Ctrl-D")
        while not terminal.waits_for_input():
            time.sleep(0.02)
        os.kill(terminal.process.pid, signal.SIGINT)
        assert terminal.read_to_end(seconds=30) == 130
    assert b"pulink: interrupted; no file is incomplete" in terminal.seen
    assert b"Traceback" not in terminal.seen


def test_a_pipe_is_not_told_to_type() -> None:
    outcome = call("find", "-", "--method", "l3n", stdin=Path("edges.csv").read_bytes())
    assert outcome.status == 0
    assert "Ctrl-D" not in outcome.err


def test_a_signal_within_an_import_leaves_without_raising_and_lets_go_of_what_is_held(folder: Path) -> None:
    (folder / "abrupt.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nx = sum(range(9))\n"
    )
    code = (
        "from pulink.cli.terminal.signals import farewell, heed_signals\n"
        "heed_signals()\n"
        "def words():\n"
        "    open('let-go', 'w').close()\n"
        "    return 'last words'\n"
        "with farewell(words):\n"
        "    try:\n"
        "        import abrupt\n"
        "    except BaseException:\n"
        "        print('raised')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=folder)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"pulink: last words\n")
    assert (folder / "let-go").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_ctrl_c_at_any_moment_ends_find_with_one_line(folder: Path) -> None:
    moments = random.Random(20)  # noqa: S311
    words = ("find", "sample", "--method", "pull", "--set", "pull.n_epochs=1000000")
    for trial in range(60):
        out = ("--out", f"out-{trial}") if trial % 2 else ()
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([COMMAND, *words, *out], text=True, **pipes) as process:  # type: ignore[call-overload]
            # Before this Python itself is starting, and a signal is its business.
            while not _heeds(process.pid, signal.SIGTERM):
                time.sleep(0.002)
            time.sleep(moments.uniform(0.0, 3.0))
            process.send_signal(signal.SIGINT)
            said, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert said == ""
        assert [line for line in err.splitlines() if line.startswith("pulink: ")] == err.splitlines()[-1:]
        assert "Traceback" not in err
        assert "Exception" not in err
    assert not list(folder.glob("core*"))


def _heeds(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)
