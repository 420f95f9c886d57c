"""Runs of reproduce on a cluster: the same results but for the clock, and none where memory would not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pulink.errors import ClusterError, TooLargeError
from pulink.experiments.cluster_run import record
from pulink.experiments.cluster_runner import runner_on
from pulink.experiments.memory_needed import most_needed
from pulink.experiments.plan import RunSpec
from pulink.experiments.results import Results
from pulink.experiments.runner import Runner
from pulink.system import memory
from tests.support.in_bytes import InBytes

FEW = {"max_iterations": 2, "n_epochs": 3, "stop": False}
PULL = RunSpec("sample", "pull", 0.1, 0, "tiny", settings=FEW)
CONTROL = RunSpec("sample", "gcn-ce@pull", 0.1, 0, "tiny", settings=FEW)
CLOCK = ("seconds", "cpu_seconds", "peak_mb")


def without_clock(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_clock(one) for name, one in value.items() if name not in CLOCK}
    return [without_clock(one) for one in value] if isinstance(value, list) else value


def results_of(folder: Path) -> dict[str, Any]:
    files = folder.rglob("*.json")
    return {str(path.relative_to(folder)): without_clock(json.loads(path.read_text())) for path in files}


def test_a_cluster_gives_the_same_results_and_only_what_is_missing(tmp_path: Path) -> None:
    Runner(Results(tmp_path / "here")).work([PULL, CONTROL])
    cluster = InBytes()
    state = Runner(Results(tmp_path / "there"), cluster=cluster).work([PULL, CONTROL])
    assert (state.n_done, state.n_failed) == (2, 0)
    assert results_of(tmp_path / "there") == results_of(tmp_path / "here")
    assert [plain["n_steps"] is None for _, plain in cluster.made] == [True, False]
    Runner(Results(tmp_path / "there"), cluster=cluster).work([PULL, CONTROL])
    assert len(cluster.made) == 2


class Lost(InBytes):
    """Loses everything."""

    def start(self, *_: object) -> Any:
        raise ClusterError("the cluster is lost")


def test_a_lost_cluster_ends_the_work_and_fails_no_run(tmp_path: Path) -> None:
    results = Results(tmp_path)
    with pytest.raises(ClusterError, match="is lost"):
        Runner(results, cluster=Lost()).work([PULL])
    assert results.read(PULL) is None


@pytest.mark.parametrize(("address", "share", "fits"), [("local:1", 1.5, True), ("local:2", 1.5, False)])
def test_runs_at_once_must_fit_into_memory_together(
    address: str, share: float, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_bytes, spec = most_needed([PULL])
    assert spec == PULL
    assert n_bytes > 0
    monkeypatch.setattr(memory, "available_bytes", lambda: int(share * n_bytes))
    monkeypatch.setattr(Runner, "work", lambda *_: "worked")
    with runner_on(address, print) as runner_of:
        if fits:
            assert runner_of(Results(tmp_path)).work([PULL]) == "worked"
        else:
            with pytest.raises(TooLargeError, match=r"pull\.tiny on sample, 2 runs at once, needs about"):
                runner_of(Results(tmp_path)).work([PULL])


def test_what_is_not_there_costs_nothing_before_it_is_run() -> None:
    assert most_needed([RunSpec("nowhere", "pull", 0.1, 0), RunSpec("sample", "nobody", 0.1, 0)]) == (0, None)


def test_a_run_that_says_nothing_is_told_by_how_it_ended() -> None:
    assert record({}, -9, "", "") == {"spec": {}, "failed": "was ended by signal 9"}
    assert record({}, 1, "", "first\nlast") == {"spec": {}, "failed": "last"}
