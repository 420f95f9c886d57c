"""With --json a failure is one JSON document on stdout, with the same exit status and the same line on stderr."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema_rs
import pytest

from pulink import __main__ as entry
from pulink.cli.terminal import console
from pulink.cli.terminal.json_errors import json_is_asked_for
from pulink.cli.terminal.signals import Terminated
from pulink.errors import TooLargeError
from pulink.workflows import find
from pulink.workflows.finding import output as find_output
from pulink.workflows.formats.documents import schema
from tests.support.command import Outcome, call, start

VALID = jsonschema_rs.Draft202012Validator(schema("error"))


def error_of(outcome: Outcome) -> dict[str, Any]:
    """The one JSON document of stdout, which fits its schema and the exit status."""
    content = json.loads(outcome.out)
    VALID.validate(content)
    assert content["error"]["exit_status"] == outcome.status
    found: dict[str, Any] = content["error"]
    return found


@pytest.mark.parametrize(
    ("arguments", "kind", "status", "message"),
    [
        ("find edgess.csv", "InputError", 3, "edgess.csv: no such file"),
        ("find {edges} --method pul", "UnknownNameError", 2, "unknown method 'pul'. Did you mean 'pull'?"),
        ("find {edges} --column kind", "ParameterError", 2, "--column takes NAME=KIND"),
        ("find {edges} --out {edges}/out", "OutputError", 5, "cannot write into"),
        ("find {edges} --topp 3", "UsageError", 2, "--topp"),
        ("find {edges} --top many", "UsageError", 2, "--top must be a whole number, got 'many'"),
        ("find", "UsageError", 2, "EDGES"),
        ("fnd edges.csv", "UsageError", 2, "fnd"),
        ("suggest nowhere n1", "ModelError", 3, "nowhere"),
        ("explain nowhere n1 n2", "ModelError", 3, "nowhere"),
        ("review nowhere", "InputError", 3, "nowhere"),
        ("estimate {edges} --method gnc", "UnknownNameError", 2, "gnc"),
        ("evaluate {edges} --val-ratio .6 --test-ratio .6", "ParameterError", 2, "val + test must stay below 1"),
        ("reproduce nothing", "UnknownNameError", 2, "nothing"),
        ("methods seel", "UnknownNameError", 2, "Did you mean 'seal'"),
        ("schema fnd", "UsageError", 2, "--json"),
    ],
)
def test_a_failure_is_one_json_document_with_the_status_of_always(
    planted_csv: Path, arguments: str, kind: str, status: int, message: str
) -> None:
    words = arguments.format(edges=planted_csv).split()
    outcome, plain = call(*words, "--json"), call(*words)
    found = error_of(outcome)
    assert (outcome.status, found["kind"]) == (status, kind)
    assert message in found["message"]
    assert (plain.status, plain.out) == (status, "")
    if words[0] != "schema":
        assert outcome.err.splitlines()[-1] == f"pulink: {found['message']}"
    if words[0] != "schema":
        assert outcome.err == plain.err


@pytest.mark.parametrize("words", [("--format", "json"), ("--format=jsonl",), ("--format", "jsonl")])
def test_a_format_of_json_asks_for_json_errors(words: tuple[str, ...]) -> None:
    assert error_of(call("find", "edgess.csv", *words))["kind"] == "InputError"


@pytest.mark.parametrize(
    "words", [(), ("--format", "csv"), ("--", "--json"), ("--format",), ("x", "json"), ("--jsonn",)]
)
def test_who_did_not_ask_for_json_gets_none(words: tuple[str, ...]) -> None:
    assert not json_is_asked_for(words)


@pytest.mark.parametrize(
    ("variable", "value"), [("PULINK_JSON", "1"), ("PULINK_FORMAT", "jsonl"), ("PULINK_JSON", "True")]
)
def test_the_environment_asks_for_json_errors(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    for words in (("find", "edgess.csv"), ("find", "edgess.csv", "--topp", "3")):
        assert error_of(call(*words))["kind"] in ("InputError", "UsageError")
    assert not json_is_asked_for(["find", "edgess.csv", "--format", "csv"])


def test_a_file_of_options_asks_for_json_errors(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text("json = true\n")
    assert error_of(call("find", "edgess.csv", "--config", str(file)))["kind"] == "InputError"
    assert error_of(call("find", "edgess.csv", "--config", str(file), "--top", "0"))["kind"] == "UsageError"
    assert call("find", "edgess.csv").out == ""


def test_names_in_an_error_send_nothing_to_a_terminal() -> None:
    outcome = call("find", "\x1b[31mred\u202e.csv", "--json")
    assert "\x1b" not in outcome.out
    assert "\u202e" not in outcome.out
    assert error_of(outcome)["message"] == "\x1b[31mred\u202e.csv: no such file"


@pytest.mark.parametrize(
    ("raised", "kind", "status"),
    [
        (KeyboardInterrupt(), "Interrupted", 130),
        (Terminated(), "Interrupted", 143),
        (TooLargeError("the work needs 9 GB"), "TooLargeError", 4),
        (MemoryError(), "MemoryError", 4),
        (OSError(errno.ENOSPC, "No space left on device", "links"), "OutputError", 5),
    ],
)
def test_whatever_ends_the_work_is_told_in_json(
    planted_csv: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, kind: str, status: int
) -> None:
    def end(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(find, "open_graph", end)
    outcome = call("find", str(planted_csv), "--json")
    found = error_of(outcome)
    assert (outcome.status, found["kind"]) == (status, kind)
    assert outcome.err == f"pulink: {found['message']}\n"


def test_a_disk_that_fills_while_results_are_written_is_told_in_json(
    planted_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "missing_links.csv")

    monkeypatch.setattr(find_output, "write", fail)
    outcome = call("find", str(planted_csv), "--method", "l3n", "--json", "--out", str(tmp_path / "out"))
    assert error_of(outcome) == {
        "kind": "OutputError",
        "message": "missing_links.csv: No space left on device",
        "exit_status": 5,
    }


def test_nothing_is_put_behind_a_document_that_was_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(console.Screen, "note", stop)
    monkeypatch.setattr("pulink.cli.listings.outputs.Destination.send_table", printed_then(stop))
    outcome = call("methods", "l3n", "--json")
    assert outcome.status == 130
    assert json.loads(outcome.out) == {"methods": []}
    assert outcome.err == "pulink: interrupted; no file is incomplete\n"


def printed_then(stop: Callable[[], None]) -> Callable[..., None]:
    def send(*_: object) -> None:
        console.emit('{"methods": []}\n')
        stop()

    return send


def test_an_interrupt_before_libraries_load_is_told_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    with (
        mock.patch.object(sys, "argv", ["pulink", "find", "edges.csv", "--json"]),
        mock.patch.object(entry, "heed_signals", side_effect=KeyboardInterrupt),
        mock.patch.object(entry, "ignore_signals"),
        pytest.raises(SystemExit) as ended,
    ):
        entry.main()
    out, err = capsys.readouterr()
    found = error_of(Outcome(ended.value.code, out, err))
    assert (ended.value.code, found["kind"]) == (130, "Interrupted")
    assert err == f"pulink: {found['message']}\n"


@pytest.mark.slow
def test_ctrl_c_in_a_real_process_is_told_in_json(planted_csv: Path, tmp_path: Path) -> None:
    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    endless = ("--method", "pull", "--set", "pull.n_epochs=1000000", "--json")
    process = start("find", str(planted_csv), *endless, cwd=tmp_path, preexec_fn=heed)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("read ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    found = error_of(Outcome(process.returncode, out, err))
    assert (process.returncode, found["kind"]) == (130, "Interrupted")
    assert err.splitlines()[-1] == f"pulink: {found['message']}"


def test_an_interrupt_within_an_import_is_told_in_json(tmp_path: Path) -> None:
    # A module that is loaded late stands for the libraries: its import stops itself.
    (tmp_path / "numba.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    code = "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "sys.argv = ['pulink', 'find', 'edges.csv', '--json']\nfrom pulink.__main__ import main\nmain()\n"
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert error_of(Outcome(ended.returncode, ended.stdout, ended.stderr))["exit_status"] == 130
    assert ended.returncode == 130
