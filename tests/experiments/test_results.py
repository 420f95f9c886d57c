"""Files of results that somebody or something has damaged: named in a line, never believed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pulink.errors import InputError
from pulink.experiments.plan import RunSpec
from pulink.experiments.results import Results
from pulink.metrics import MEASURES

SPEC = RunSpec("sample", "pull", 0.1, 0)
RUN = {
    "auroc": 0.9,
    "list_precision": None,
    "seconds": 1.5,
    "cpu_seconds": 1,
    "n_steps": 800,
    "searched": "all pairs",
    "history": [{"k": 80, "val_auroc": 0.9}],
}


def stored(folder: Path, content: str) -> Path:
    file = folder / SPEC.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


def record(**changes: Any) -> str:
    return json.dumps({"spec": SPEC.to_dict(), "run": RUN | changes})


def test_what_a_run_wrote_is_read(tmp_path: Path) -> None:
    stored(tmp_path, record())
    assert Results(tmp_path).run(SPEC) == RUN
    assert Results(tmp_path).figure(SPEC, "seconds") == 1.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("auroc", "x"),
        ("auroc", float("nan")),
        ("auprc", [1]),
        ("val_auroc", True),
        ("seconds", None),
        ("seconds", True),
        ("seconds", 10**4000),
        ("cpu_seconds", float("inf")),
        ("peak_mb", "1"),
        ("n_steps", 1.5),
        ("k", -1),
        ("searched", ["all"]),
        ("history", {}),
        ("history", [1]),
        ("history", [{"val_auroc": 0.5}]),
        ("history", [{"k": 1, "val_auroc": "x"}]),
    ],
)
def test_a_figure_that_no_run_can_have_is_named(tmp_path: Path, name: str, value: object) -> None:
    file = stored(tmp_path, record(**{name: value}))
    with pytest.raises(InputError, match=f"^{file}: its {name} cannot be a run's; remove it to run it again$"):
        Results(tmp_path).read(SPEC)


def test_a_figure_that_is_needed_and_not_there_is_named(tmp_path: Path) -> None:
    stored(tmp_path, record())
    with pytest.raises(InputError, match="does not tell n_train_edges; remove it"):
        Results(tmp_path).run(SPEC, "n_train_edges")
    with pytest.raises(InputError, match="does not tell peak_mb; remove it"):
        Results(tmp_path).figure(SPEC, "peak_mb")


@pytest.mark.parametrize(
    "content",
    [
        "[" * 200_000,
        '{"spec": ' + "9" * 5000 + "}",
        " " * 20_000_001,
        "[]",
        json.dumps({"spec": SPEC.to_dict()}),
        json.dumps({"spec": SPEC.to_dict(), "failed": "x", "run": "y"}),
        json.dumps({"spec": SPEC.to_dict(), "failed": "x", "versions": []}),
    ],
    ids=["deep", "long number", "large", "list", "empty", "failed and not", "versions"],
)
def test_what_is_no_result_is_refused_in_a_line(tmp_path: Path, content: str) -> None:
    stored(tmp_path, content)
    with pytest.raises(InputError, match=r"^[^\n]*; remove it to run it again$"):
        Results(tmp_path).read(SPEC)


def test_only_a_file_is_read(tmp_path: Path) -> None:
    file = stored(tmp_path, record())
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    assert Results(tmp_path).run(SPEC) == RUN
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(InputError, match=r"is not a result of a run \(no regular file\); remove it"):
        Results(tmp_path).read(SPEC)
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match="no regular file"):
        Results(tmp_path).read(SPEC)


@pytest.mark.parametrize("name", [measure.name for measure in MEASURES])
def test_every_measure_is_judged(tmp_path: Path, name: str) -> None:
    file = stored(tmp_path, record(**{name: "high"}))
    with pytest.raises(InputError, match=f"^{file}: its {name} cannot be a run's"):
        Results(tmp_path).read(SPEC)


def test_a_look_at_results_loads_neither_pytorch_nor_statistics() -> None:
    """They take seconds, and there are thousands of results to look at."""
    code = (
        "import sys, pulink.experiments.results; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'scipy.stats')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
