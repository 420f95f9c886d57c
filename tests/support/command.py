"""Running the command: in a process of its own, or faster in this one."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from pulink.cli.app import main

COMMAND = str(Path(sys.executable).with_name("pulink"))


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what it wrote on its two streams."""

    status: int | str | None
    out: str
    err: str


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start the installed command with both streams piped."""
    options["env"] = os.environ | options.get("env", {})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([COMMAND, *arguments], text=True, **(pipes | options))


def run(*arguments: str, **options: Any) -> Outcome:
    """Run the installed command to its end."""
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=120)
    return Outcome(process.returncode, out, err)


def call(*arguments: str, stdin: bytes = b"") -> Outcome:
    """Run the command's entry point in this process, which has the libraries loaded."""
    out, err = io.StringIO(), io.StringIO()
    status: int | str | None = 0
    with (
        mock.patch.object(sys, "argv", ["pulink", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code
    return Outcome(status, out.getvalue(), err.getvalue())
