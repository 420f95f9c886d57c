"""The command that is printed to go on must be the one that was typed."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from pulink.cli.app import app
from pulink.cli.terminal.rerun import command

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]

FIND = st.lists(
    st.sampled_from(
        [
            ("--no-header",),
            ("--header",),
            ("--missing-share", "0"),
            ("--missing-share", "0.25"),
            ("--top", "7"),
            ("--seed", "0"),
            ("--seed", "3"),
            ("--set", "pull.n_epochs=3"),
            ("--set", "pull.encoder='a b'"),
            ("--out", "a folder"),
            ("--out", "a.csv/"),
            ("--output", "it's.csv"),
            ("--format", "jsonl"),
            ("--quiet",),
            ("--json",),
            ("--raw-names",),
            ("--source", "0"),
            ("--method", "pull"),
        ]
    ),
    unique_by=lambda words: words if words[0] == "--set" else words[0].replace("no-", ""),
)
EVALUATE = st.lists(
    st.sampled_from(
        [
            ("--val-ratio", "0"),
            ("--val-ratio", "0.1"),
            ("--test-ratio", "1"),
            ("--control",),
            ("--no-control",),
            ("--seeds", "1"),
            ("--seeds", "2"),
        ]
    ),
    unique_by=lambda words: words[0].replace("no-", ""),
)


def parsed(words: list[str]) -> typer.Context:
    context: typer.Context = COMMANDS[words[0]].make_context(words[0], list(words[1:]))
    return context


def check(words: list[str]) -> None:
    context = parsed(words)
    again = shlex.split(command(context))
    assert again[0] == "pulink"
    assert parsed(again[1:]).params == context.params


@given(edges=st.sampled_from(["e.csv", "-", "a b.csv", "it's.csv"]), options=FIND)
def test_find(edges: str, options: list[tuple[str, ...]]) -> None:
    check(["find", edges, *(word for own in options for word in own)])


@given(options=EVALUATE)
def test_evaluate(options: list[tuple[str, ...]]) -> None:
    check(["evaluate", "e.csv", *(word for own in options for word in own)])


@pytest.mark.parametrize(
    "words",
    [
        ["find", "--top", "3", "--", "-x.csv"],
        ["reproduce", "table-1", "figure-4", "--jobs", "2"],
        ["reproduce", "--results", "elsewhere"],
    ],
)
def test_arguments(words: list[str]) -> None:
    check(words)


def test_what_is_as_by_default_is_not_said() -> None:
    assert command(parsed(["find", "e.csv", "--seed", "0", "--missing-share", "0", "--no-header"])) == (
        "pulink find e.csv --missing-share 0.0 --no-header"
    )
    assert command(parsed(["evaluate", "e.csv", "--val-ratio", "0"])) == "pulink evaluate e.csv --val-ratio 0.0"


def test_a_name_that_is_no_text_is_typed_byte_by_byte(tmp_path: Path) -> None:
    name = "it's \udcff\\é.csv"
    context = COMMANDS["find"].make_context("find", [name, "--method", "l3n"])
    typed = command(context)
    typed.encode()
    script = tmp_path / "typed"
    script.write_text(typed.replace("pulink", "printf '%s\\0'"))
    words = subprocess.run(["/bin/bash", str(script)], capture_output=True, check=True).stdout.split(b"\0")
    assert os.fsencode(name) in words
