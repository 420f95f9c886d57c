"""Where data go and in which format: --format, --json, -o FILE; and --out DIR that looks like a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from pulink.cli.parsing.completion import link_formats, table_formats
from pulink.cli.terminal.console import Screen, emit_encoded, printable
from pulink.errors import ParameterError
from pulink.text import short_path
from pulink.workflows.formats.choice import (
    LINK_FORMATS,
    TABLE_FORMATS,
    checked,
    format_of,
    is_binary,
    looks_like_a_file,
)


def _format(names: Sequence[str], what: str, offered: Callable[[str], list[str]]) -> Any:
    return typer.Option(
        "--format",
        metavar="|".join(names),
        show_default="a table, and tab-separated on a pipe",
        help=f"How {what} are written.",
        autocompletion=offered,
    )


LinkFormat = Annotated[str | None, _format(LINK_FORMATS, "links", link_formats)]
TableFormat = Annotated[str | None, _format(TABLE_FORMATS, "the rows", table_formats)]
OutputFile = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write into this file instead of standard output, in the format of its ending (also .csv.gz).",
    ),
]

_STDOUT = "-"


@dataclass(frozen=True)
class Destination:
    """Where a command's data go.

    format  None for a table: drawn for a person, tab-separated for a pipe
    file    None for standard output
    """

    format: str | None = None
    file: Path | None = None

    def send(self, data: bytes) -> None:
        """Write what was put into the format."""
        assert self.format is not None
        if self.file is None:
            is_json = self.format in ("json", "jsonl")
            emit_encoded(data, is_json=is_json, is_binary=is_binary(self.format))
            return
        from pulink.system.files import write_output
        from pulink.workflows.formats.links import packed

        write_output(self.file, packed(self.file, data))

    def send_table(self, document: dict[str, Any], rows: Sequence[dict[str, Any]], screen: Screen) -> bool:
        """Write a document, or its rows, if a format was asked for; tell whether it was."""
        if self.format is None:
            return False
        from pulink.workflows.formats.tables import encoded_table

        self.send(encoded_table(self.format, document, rows))
        if self.file is not None:
            screen.note(f"written to {self.file}")
        return True


def destination(
    as_json: bool,
    asked: str | None,
    output: str | None,
    allowed: Sequence[str] = TABLE_FORMATS,
    reads: Sequence[object] = (),
) -> Destination:
    """What --json, --format and -o say together, checked before any work.

    allowed  the formats of the command
    reads    the files that it reads: none of them may be written
    """
    if asked is not None:
        checked(asked, allowed)
    if as_json and asked not in (None, "json"):
        raise ParameterError(f"--json and --format {asked} contradict each other: give one of them")
    name = "json" if as_json else asked
    if output is None or output == _STDOUT:
        if name is not None and is_binary(name) and sys.stdout.isatty():
            raise ParameterError(f"a terminal cannot show {name}: write a file, for example -o links.{name}")
        return Destination(name)
    if not output.strip():
        raise ParameterError("-o needs the name of a file, and it is empty")
    file = Path(output)
    name = format_of(file, name, allowed)
    from pulink.system.files import check_output_file

    if output.endswith("/"):
        raise ParameterError(f"-o writes one file, and {short_path(output)} is a folder; --out writes a folder")
    for other in reads:
        if other is not None and _is_same(file, Path(str(other))):
            raise ParameterError(f"-o {short_path(output)} would replace a file that is read; name another")
    check_output_file(file)
    return Destination(name, file)


def check_apart(file: Path | None, folder: Path | None, files: Sequence[str]) -> None:
    """Refuse -o where --out writes a file of its own."""
    if file is None or folder is None:
        return
    try:
        inside = file.resolve().relative_to(folder.resolve())
    except ValueError:
        return
    if not inside.parts or inside.parts[0] in files:
        raise ParameterError(
            f"-o {short_path(file)} and --out {short_path(folder)} would write the same file: name another for -o"
        )


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.is_file() and one.samefile(other)
    except OSError:
        return False


def folder_or_file(context: typer.Context, out: str | None, output: str | None) -> tuple[Path | None, str | None]:
    """--out and -o as they are meant, where --out names what looks like a file and is not there.

    A name that ends with a slash is that of a folder whatever it looks like.
    """
    if out is None:
        return None, output
    if not out.strip():
        raise ParameterError("--out: the folder's name is empty")
    folder = Path(out)
    if out.endswith("/") or folder.exists() or not looks_like_a_file(folder):
        return folder, output
    answer = _asked(folder) if output is None and sys.stdin.isatty() and sys.stderr.isatty() else ""
    if answer == "file":
        context.params |= {"out": None, "output": out}
        return None, out
    if answer != "folder":
        name = short_path(out)
        raise ParameterError(
            f"--out {name} looks like a file: -o {name} writes one file, --out {name}/ a folder of that name"
        )
    context.params["out"] = f"{out}/"
    return folder, output


def _asked(out: Path) -> str:
    """file, folder, or nothing."""
    sys.stderr.write(
        f"{printable(short_path(out))} looks like a file, and --out makes a folder. "
        "Write one file (f), or a folder of that name (d)? "
    )
    sys.stderr.flush()
    return {"f": "file", "file": "file", "d": "folder", "folder": "folder"}.get(
        sys.stdin.readline().strip().lower(), ""
    )
