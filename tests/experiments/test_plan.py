"""Which runs there are, where they are kept, and in which order they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulink.errors import InputError
from pulink.experiments.plan import RunSpec, plan, runs_of
from pulink.experiments.results import Results
from pulink.experiments.spec import experiment, experiments


def test_a_path_tells_runs_apart() -> None:
    plain = RunSpec("pubmed", "pull", 0.1, 3)
    assert plain.path == Path("pubmed/pull/missing-0.1-seed-3.json")
    varied = RunSpec("pubmed", "pull", 0.1, 3, variant="four", edge_share=0.3)
    assert varied.path == Path("pubmed/pull.four/missing-0.1-share-0.3-seed-3.json")


def test_one_seed_of_everything_comes_before_the_second_of_anything() -> None:
    planned = plan(experiments().values())
    seeds = [spec.seed for spec in planned]
    assert seeds == sorted(seeds)
    first = {spec.path for spec in planned if spec.seed == 0}
    assert first == {spec.path for own in experiments().values() for _, spec in runs_of(own, 0)}


def test_every_path_is_planned_once_and_means_one_run() -> None:
    planned = {spec.path: spec for spec in plan(experiments().values())}
    assert len(planned) == len(plan(experiments().values()))
    for own in experiments().values():
        for seed in range(own.seeds):
            for _, spec in runs_of(own, seed):
                assert planned[spec.path] == spec


def test_a_control_is_planned_behind_its_run() -> None:
    planned = plan(experiments().values())
    places = {spec.path: place for place, spec in enumerate(planned)}
    controls = [spec for spec in planned if spec.controls is not None]
    assert len(controls) > 100
    for spec in controls:
        assert spec.controls is not None
        assert places[spec.controls.path] < places[spec.path]
        assert spec.controls.settings == spec.settings


def test_columns_that_are_not_run_have_no_runs() -> None:
    assert not {spec.dataset for spec in plan(experiments().values())} & {"cora-full", "ogbn-arxiv"}


def test_a_plan_can_be_narrowed() -> None:
    planned = plan([experiment("accuracy-0.1")], seeds=1, datasets=["pubmed"], methods=["pull"])
    assert [spec.method for spec in planned] == ["pull", "gcn-ce@pull"]
    assert plan([experiment("accuracy-0.1")], methods=[]) == []
    small = {"seeds": 1, "datasets": ["usair"]}
    both = plan([experiment("untouched")], methods=["gcn-ce"], **small)
    assert [spec.name for spec in both] == ["gcn-ce", "gcn-ce.converged"]
    assert plan([experiment("untouched")], methods=["gcn-ce.converged"], **small) == both[1:]
    assert {spec.seed for spec in plan([experiment("scaling")], seeds=4)} == {0, 1, 2, 3}


def test_results_are_found_by_what_was_run(tmp_path: Path) -> None:
    results, spec = Results(tmp_path), RunSpec("pubmed", "pull", 0.1, 0)
    assert results.read(spec) is None
    results.write(spec, {"spec": spec.to_dict(), "run": {"auroc": 0.5}})
    assert results.run(spec) == {"auroc": 0.5}
    results.write(spec, {"spec": spec.to_dict(), "failed": "no"})
    assert results.run(spec) is None


def test_a_file_with_another_run_in_it_is_refused(tmp_path: Path) -> None:
    results, spec = Results(tmp_path), RunSpec("pubmed", "pull", 0.1, 0, settings={"n_epochs": 3})
    results.write(spec, {"spec": spec.to_dict() | {"settings": {}}, "run": {}})
    with pytest.raises(InputError, match="holds another run than its name says"):
        results.read(spec)
