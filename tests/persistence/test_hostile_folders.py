"""Model folders that were damaged or made on purpose: a short form of `python -m torture.model_folders`."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import load, save
from torture.folder_damage import Files, sealed
from torture.folder_worker import all_pairs, outcome
from torture.model_folders import cases, small_graph, write

import pulink
from pulink.errors import ModelError
from pulink.system import parquet_guard

TENSORS = "tensors.safetensors"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    """Two models as files by name, and beside them their scores."""
    home, found = tmp_path_factory.mktemp("models"), {}
    for method, settings in (("l3n", {}), ("gcn-ce", {"max_epochs": 2, "min_epochs": 0})):
        model = pulink.make(method, **settings).fit(small_graph(named=False))
        model.save(home / method)
        np.save(home / f"{method}.npy", model.decision_function(all_pairs(model.graph_)))
        found[method] = {path.name: path.read_bytes() for path in (home / method).iterdir()}
        found[method]["scores"] = str(home / f"{method}.npy").encode()
    return found


def files_of(models: dict[str, Files], method: str = "gcn-ce") -> Files:
    return {name: content for name, content in models[method].items() if name != "scores"}


def test_damage_is_refused_or_harmless(models: dict[str, Files], tmp_path: Path) -> None:
    plain = {method: files_of(models, method) for method in models}
    for case in cases(plain, count=60, n_sealed=0, seed=1):
        write(case.files, tmp_path / "case")
        fate, told = outcome(str(tmp_path / "case"), models[case.method]["scores"].decode())
        assert fate in ("refused", "equal"), (case.number, case.what, told)


def test_malice_is_refused_or_answered(models: dict[str, Files], tmp_path: Path) -> None:
    plain = {method: files_of(models, method) for method in models}
    fates = []
    for case in cases(plain, count=0, n_sealed=40, seed=1):
        write(case.files, tmp_path / "case")
        fate, told = outcome(str(tmp_path / "case"), None)
        assert fate in ("refused", "loaded"), (case.number, case.what, told)
        fates.append(fate)
    assert {"refused", "loaded"} == set(fates)


def refused(files: Files, folder: Path, message: str) -> None:
    sealed(files)
    write(files, folder)
    with pytest.raises(ModelError, match=message) as told:
        pulink.load_model(folder)
    assert len(str(told.value).splitlines()) == 1


def with_array(files: Files, name: str, change: Callable[[Any], Any]) -> Files:
    arrays = load(files[TENSORS])
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    return files | {TENSORS: save(arrays)}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("graph.edges", lambda own: own + 100, "edges are no pairs of its nodes"),
        ("graph.edges", lambda own: own[:, ::-1], "edges are no pairs of its nodes"),
        ("graph.edges", lambda own: own[::-1], "edges are not in order"),
        ("graph.edges", lambda own: own.astype(np.int64), "edges are no pairs of node numbers"),
        ("graph.absent", lambda own: own - 100, "known non-links are no pairs"),
        ("graph.features", lambda own: own * np.nan, "features are not finite"),
        ("graph.features", lambda own: own[1:], "features do not fit its nodes"),
        ("learned.state.embeddings", lambda own: own[1:], "embeddings do not fit its graph"),
        ("learned.state.embeddings", lambda own: own.astype(np.int64), "embeddings do not fit its graph"),
        ("learned.state.embeddings", lambda own: own * np.nan, "the score NaN, which is no number"),
    ],
)
def test_arrays_that_would_mislead_a_kernel_are_refused(
    models: dict[str, Files], tmp_path: Path, name: str, change: Callable[[Any], Any], message: str
) -> None:
    refused(with_array(files_of(models), name, change), tmp_path / "case", message)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("n_nodes", 2**31 - 1, "2,147,483,647 nodes .* are more than it tells of"),
        ("n_nodes", 10**30, "more than it tells of"),
        ("n_nodes", 30.0, "n_nodes is 30.0"),
        ("params", [], "does not hold settings"),
        ("params", {"seed": "x"}, "a setting that is not allowed .seed must be"),
        ("params", {"a\nb": 1}, "settings that this pulink does not know: a"),
        ("learned", {}, "does not fit this kind of model"),
        ("kind", "os.system", "holds a 'os.system', which is no method"),
        ("kind", {"a": "b" * 999}, "no method of this pulink"),
    ],
)
def test_settings_and_counts_are_judged(
    models: dict[str, Files], tmp_path: Path, key: str, value: object, message: str
) -> None:
    files = files_of(models)
    model = json.loads(files["model.json"]) | {key: value}
    refused(files | {"model.json": json.dumps(model).encode()}, tmp_path / "case", message)


@pytest.mark.parametrize(
    "content", ['{"a": NaN}', '{"a": 1e999}', '{"a":' + "[" * 100_000, '{"a": ' + "9" * 9_999 + "}"]
)
def test_json_that_would_not_be_read_alike_elsewhere_is_refused(
    models: dict[str, Files], tmp_path: Path, content: str
) -> None:
    refused(files_of(models) | {"model.json": content.encode()}, tmp_path / "case", r"model\.json cannot be read")


@pytest.mark.parametrize("announced", [0, 2**30, 2**63 - 1])
def test_headers_without_end_are_refused(models: dict[str, Files], tmp_path: Path, announced: int) -> None:
    files = files_of(models)
    content = announced.to_bytes(8, "little") + files[TENSORS][8:]
    refused(files | {TENSORS: content}, tmp_path / "case", "announces a header of")


def test_names_are_read_on_trial(
    models: dict[str, Files], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_guard, "_FREE_MEMORY", 50_000_000)
    bomb = io.BytesIO()
    pl.select(name=pl.repeat("a", 4_000_000)).write_parquet(bomb)
    refused(
        files_of(models) | {"names.parquet": bomb.getvalue()},
        tmp_path / "case",
        "names.parquet cannot be read .4,000,000 rows of 1 columns would take more than",
    )


def test_a_newer_folder_says_so(models: dict[str, Files], tmp_path: Path) -> None:
    files = files_of(models)
    manifest = json.loads(files["manifest.json"]) | {"format": 4}
    write(files | {"manifest.json": json.dumps(manifest).encode()}, tmp_path / "case")
    with pytest.raises(ModelError, match=r"written by a newer pulink \(format 4\); this one reads 3"):
        pulink.load_model(tmp_path / "case")


def test_links_pipes_and_strangers_are_refused(models: dict[str, Files], tmp_path: Path) -> None:
    folder = tmp_path / "case"
    write(files_of(models), folder)
    (folder / ".DS_Store").write_bytes(b"left by a system")
    assert pulink.load_model(folder).graph_.n_nodes == 30
    (folder / "weights.pkl").write_bytes(b"\x80")
    with pytest.raises(ModelError, match=r"holds 'weights\.pkl', which its manifest does not list"):
        pulink.load_model(folder)
    (folder / "weights.pkl").unlink()
    for name in ("manifest.json", "model.json", TENSORS):
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
        with pytest.raises(ModelError, match="is a link; a model folder holds its files itself"):
            pulink.load_model(folder)
        (folder / name).unlink()
        os.mkfifo(folder / name)
        with pytest.raises(ModelError, match="is no regular file"):
            pulink.load_model(folder)
        (folder / name).unlink()
        (tmp_path / name).rename(folder / name)
    assert pulink.load_model(folder).graph_.n_nodes == 30
