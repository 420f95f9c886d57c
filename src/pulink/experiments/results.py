"""A folder of results: a small JSON file per finished run, written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulink import metrics
from pulink.errors import InputError
from pulink.experiments.plan import RunSpec
from pulink.system.files import read_regular, write_atomically

_LARGEST_FILE = 20_000_000
# No figure of a run comes near to it, and floats hold whole numbers exactly up to it.
_LARGEST_NUMBER = 2**53

# What stands in a run besides measures, where it stands there at all: numbers, and counts.
_NUMBERS = ("seconds", "cpu_seconds", "peak_mb")
_COUNTS = ("k", "n_steps", "n_train_edges", "n_test_edges", "n_test_non_edges", "n_nodes", "n_features")


@dataclass(frozen=True)
class Results:
    """Results below a folder, looked up by what was run."""

    folder: Path

    def read(self, spec: RunSpec) -> dict[str, Any] | None:
        """What is kept of a run: its record, a record of its failure, or None."""
        file = self.folder / spec.path
        try:
            content = json.loads(read_regular(file, _LARGEST_FILE, links=True))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InputError(f"{file}: is not a result of a run ({reason}); remove it to run it again") from error
        if not isinstance(content, dict) or not _is_of(content.get("spec"), spec):
            raise InputError(f"{file}: holds another run than its name says; remove it to run it again")
        if "failed" in content or not isinstance(content.get("run"), dict):
            if not isinstance(content.get("failed"), str) or "run" in content:
                raise InputError(f"{file}: holds neither figures nor a failure; remove it to run it again")
        elif (name := _unsound(content["run"])) is not None:
            raise InputError(f"{file}: its {name} cannot be a run's; remove it to run it again")
        if not isinstance(content.get("versions", {}), dict):
            raise InputError(f"{file}: its versions cannot be a run's; remove it to run it again")
        return content

    def run(self, spec: RunSpec, *needed: str) -> dict[str, Any] | None:
        """The figures of a finished run, these at least; None if it is not finished or failed."""
        record = self.read(spec)
        run: dict[str, Any] | None = None if record is None else record.get("run")
        for name in needed:
            if run is not None and name not in run:
                raise InputError(f"{self.folder / spec.path}: does not tell {name}; remove it to run it again")
        return run

    def figure(self, spec: RunSpec, name: str) -> float | None:
        """One figure of a finished run; None if it is not finished or failed."""
        run = self.run(spec, name)
        return None if run is None else run[name]

    def write(self, spec: RunSpec, record: dict[str, Any]) -> None:
        write_atomically(self.folder / spec.path, json.dumps(record, indent=1, sort_keys=True) + "\n")


def _is_of(stored: object, spec: RunSpec) -> bool:
    """Whether a stored description is this run's; what it does not mention has its default."""
    try:
        return isinstance(stored, dict) and RunSpec(**stored) == spec
    except TypeError:
        return False


def _unsound(run: dict[str, Any]) -> str | None:
    """The name of a figure that no run can have; None if there is none."""
    sound = {
        **dict.fromkeys((*(measure.name for measure in metrics.MEASURES), "val_auroc"), _is_score),
        **dict.fromkeys(_NUMBERS, _is_number),
        **dict.fromkeys(_COUNTS, _is_count),
        "searched": lambda value: isinstance(value, str),
        "history": _is_history,
    }
    return next((name for name, fits in sound.items() if name in run and not fits(run[name])), None)


def _is_number(value: object) -> bool:
    """Finite, and of a size that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST_NUMBER


def _is_score(value: object) -> bool:
    return value is None or _is_number(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and _is_number(value) and value >= 0


def _is_history(value: object) -> bool:
    """Outer iterations, as far as a report looks at them."""
    return isinstance(value, list) and all(
        isinstance(step, dict) and _is_count(step.get("k")) and _is_score(step.get("val_auroc")) for step in value
    )
