"""Errors as JSON on standard output, for programs that asked for JSON."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence

_FORMATS = ("json", "jsonl")


def json_is_asked_for(words: Sequence[str]) -> bool:
    """Whether a command line asks for JSON, also one that cannot be understood.

    >>> from pulink.cli.terminal.json_errors import json_is_asked_for
    >>> json_is_asked_for(["find", "--topp", "3", "--format", "jsonl"])
    True
    >>> json_is_asked_for(["find", "--", "--json"])
    False
    """
    options = words[: words.index("--")] if "--" in words else words
    after = dict(zip(options, [*options[1:], ""], strict=True)) if options else {}
    return (
        "--json" in options
        or after.get("--format") in _FORMATS
        or any(f"--format={name}" in options for name in _FORMATS)
    )


def print_error(kind: str, message: str, exit_status: int) -> None:
    """One line with one JSON document, where standard output takes it."""
    error = {"kind": kind, "message": message, "exit_status": exit_status}
    # As pulink.workflows.formats.documents has it, which would take a moment to load.
    with contextlib.suppress(OSError, AttributeError):
        sys.stdout.write(json.dumps({"schema_version": 1, "error": error}) + "\n")
        sys.stdout.flush()
