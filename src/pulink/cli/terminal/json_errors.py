"""Errors as JSON on standard output, for programs that asked for JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping, Sequence

_FORMATS = ("json", "jsonl")
# As pulink.cli.parsing.environment reads them, which would take a moment to load.
_VARIABLES, _ON = ("PULINK_JSON", "PULINK_FORMAT"), ("1", "true", "yes", "on")


class InFile:
    """Whether the file of --config asks for JSON, once it was read."""

    asks_for_json = False


def json_is_asked_for(words: Sequence[str]) -> bool:
    """Whether a command line, the environment or a file asks for JSON, also where it cannot be understood.

    >>> from pulink.cli.terminal.json_errors import json_is_asked_for
    >>> json_is_asked_for(["find", "--topp", "3", "--format", "jsonl"])
    True
    >>> json_is_asked_for(["find", "--", "--json"])
    False
    """
    options = words[: words.index("--")] if "--" in words else words
    after = dict(zip(options, [*options[1:], ""], strict=True)) if options else {}
    typed = {word.partition("=")[2] for word in options if word.startswith("--format=")}
    typed |= {after["--format"]} if "--format" in after else set()
    if "--json" in options or typed:
        return "--json" in options or not typed.isdisjoint(_FORMATS)
    switch, name = (os.environ.get(variable, "").strip() for variable in _VARIABLES)
    if switch or name:
        return switch.lower() in _ON or name in _FORMATS
    return InFile.asks_for_json


def heed_file(values: Mapping[str, object]) -> None:
    """Remember what a file says of --json and --format, by parameter."""
    InFile.asks_for_json = values.get("as_json") is True or values.get("as_format") in _FORMATS


def print_error(kind: str, message: str, exit_status: int) -> None:
    """One line with one JSON document, where standard output takes it."""
    error = {"kind": kind, "message": message, "exit_status": exit_status}
    # As pulink.workflows.formats.documents has it, which would take a moment to load.
    with contextlib.suppress(OSError, AttributeError):
        sys.stdout.write(json.dumps({"schema_version": 1, "error": error}) + "\n")
        sys.stdout.flush()
