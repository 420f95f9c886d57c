"""LibreOffice itself, where it is installed: which cells of a text file it would compute."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from torture.spreadsheet import CHOICES

SOFFICE = shutil.which("soffice")
# Text in quotation marks, UTF-8, from the first line, languages by default, special numbers taken for such.
_FILTER = "CSV:{separators},34,76,1,,0,false,true"
_FORMULA = re.compile(r'table:formula="([^"]*)"')


def computed(files: list[Path], folder: Path) -> dict[str, list[str]]:
    """The formulas of each file, by its path, over every choice of separators."""
    assert SOFFICE is not None
    found: dict[str, list[str]] = {str(file): [] for file in files}
    copies = [_copy(file, folder / f"{number}.csv") for number, file in enumerate(files)]
    for choice in CHOICES:
        sheets = folder / "sheets"
        shutil.rmtree(sheets, ignore_errors=True)
        separators = "/".join(str(ord(separator)) for separator in choice)
        command = [SOFFICE, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
        command += [f"--infilter={_FILTER.format(separators=separators)}", "--convert-to", "fods"]
        subprocess.run(
            [*command, "--outdir", str(sheets), *map(str, copies)], check=True, capture_output=True, timeout=300
        )
        for file, copy in zip(files, copies, strict=True):
            text = (sheets / f"{copy.stem}.fods").read_text(encoding="utf-8")
            found[str(file)] += _FORMULA.findall(text)
    return found


def _copy(file: Path, target: Path) -> Path:
    """Under a name that says text: others may be opened as what they are not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    return target
