"""A folder of results: a small JSON file per finished run, written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulink.errors import InputError
from pulink.experiments.runs import RunSpec
from pulink.files import write_atomically


@dataclass(frozen=True)
class Results:
    """Results below a folder, looked up by what was run."""

    folder: Path

    def read(self, spec: RunSpec) -> dict[str, Any] | None:
        """What is kept of a run: its record, a record of its failure, or None."""
        file = self.folder / spec.path
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InputError(f"{file}: is not a result of a run ({error}); remove it to run it again") from error
        if not isinstance(content, dict) or not _is_of(content.get("spec"), spec):
            raise InputError(f"{file}: holds another run than its name says; remove it to run it again")
        if not isinstance(content.get("failed"), str) and not isinstance(content.get("run"), dict):
            raise InputError(f"{file}: holds neither figures nor a failure; remove it to run it again")
        return content

    def run(self, spec: RunSpec) -> dict[str, Any] | None:
        """The figures of a finished run; None if it is not finished or failed."""
        record = self.read(spec)
        return None if record is None else record.get("run")

    def figure(self, spec: RunSpec, name: str) -> float | None:
        """One figure of a finished run; None if it is not finished or failed."""
        run = self.run(spec)
        if run is None:
            return None
        if isinstance(run.get(name), bool) or not isinstance(run.get(name), int | float):
            raise InputError(f"{self.folder / spec.path}: does not tell {name}; remove it to run it again")
        return run[name]  # type: ignore[no-any-return]

    def write(self, spec: RunSpec, record: dict[str, Any]) -> None:
        write_atomically(self.folder / spec.path, json.dumps(record, indent=1, sort_keys=True) + "\n")


def _is_of(stored: object, spec: RunSpec) -> bool:
    """Whether a stored description is this run's; what it does not mention has its default."""
    try:
        return isinstance(stored, dict) and RunSpec(**stored) == spec
    except TypeError:
        return False
