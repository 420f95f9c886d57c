"""Help, version, completion: quick, and on the right stream."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from pulink.cli.parsing.completion import document_names, link_formats, table_formats
from tests.support.command import call, run

COMMANDS = ("find", "review", "suggest", "explain", "evaluate", "methods", "datasets")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself(command: tuple[str, ...], flag: str) -> None:
    outcome = call(*command, flag)
    assert outcome.status == 0
    assert outcome.out.startswith("Usage: pulink")
    assert outcome.err == ""


def test_the_front_page_lists_the_commands_and_the_exit_statuses() -> None:
    page = call("--help").out
    assert all(f"\n  {name} " in page for name in COMMANDS)
    assert "Exit status: 0 done, 2 usage, 3 bad input" in " ".join(page.split())


def test_without_a_command_the_front_page_is_shown_as_a_usage_error() -> None:
    outcome = call()
    assert outcome.status == 2
    assert "Commands:" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("fnd edges.csv", "Did you mean 'find'?"),
        ("find edges.csv --topp 3", "--top"),
        ("find edges.csv --top 0", "--top"),
        ("find edges.csv --top many", "--top"),
        ("find edges.csv --min-probability 2", "--min-probability"),
        ("find", "EDGES"),
    ],
)
def test_a_usage_error_names_what_is_wrong(arguments: str, message: str) -> None:
    outcome = call(*arguments.split())
    assert outcome.status == 2
    assert outcome.out == ""
    assert message in outcome.err


def test_the_version_of_the_installed_command() -> None:
    outcome = run("--version")
    assert outcome.status == 0
    assert outcome.out == f"pulink {version('pulink')}\n"
    assert outcome.err == ""


def test_a_shell_is_offered_formats_and_documents() -> None:
    assert link_formats("") == ["csv", "tsv", "json", "jsonl", "parquet", "graphml"]
    assert table_formats("js") == ["json", "jsonl"]
    assert document_names("re") == ["review", "reproduce"]


def test_a_shell_can_complete_commands() -> None:
    words = {"_PULINK_COMPLETE": "complete_bash", "COMP_WORDS": "pulink fi", "COMP_CWORD": "1"}
    assert run(env=words).out.strip() == "find"
