"""Addresses of clusters, and what they cost before any work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import pulink
from pulink.distributed.cluster import check_address, working_on
from pulink.distributed.executor import Executor, executor_in_use, using
from pulink.errors import ClusterError, ParameterError, TooLargeError
from pulink.predictor.costs import cost_of
from pulink.system import memory
from tests.support.in_bytes import InBytes
from tests.support.planted import planted_graph

GRAPH = planted_graph(10, 2, 0.6, 0.05, seed=0)


@pytest.mark.parametrize("address", ["local:1", "local:1024", "auto", "ray://head:10001", "ray://[::1]:10001"])
def test_addresses(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "", "local", "local:", "local:0", "local:1025", "local:-1", "local:2 ", "local:٢", "Auto", "ray://", "ray://head",
        "ray://head:0", "ray://head:65536", "ray://head:10001/x", "ray://user@head:1", "http://head:1", 2, b"auto",
    ],
)  # fmt: skip
def test_other_addresses_are_refused_in_one_line(address: object) -> None:
    with pytest.raises(
        ParameterError, match="cluster must be local:N with N from 1 to 1,024, auto or ray:"
    ) as caught:
        check_address(address)
    assert "\n" not in str(caught.value)


def test_pieces_are_made_here_unless_somebody_says_otherwise() -> None:
    assert not executor_in_use().is_elsewhere
    with working_on(None) as executor:
        assert not executor.is_elsewhere
    with using(InBytes()) as executor:
        assert executor_in_use() is executor
    assert not executor_in_use().is_elsewhere


def test_nothing_is_started_where_nothing_is_to_be_done() -> None:
    with working_on("local:1000", idle=True) as executor:
        assert not executor.is_elsewhere
    with pytest.raises(ParameterError), working_on("local:0", idle=True):
        pass


def test_without_ray_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(tmp_path)
    with (
        pytest.raises(ClusterError, match=r"Ray is not installed: pip install 'pulink\[ray\]'"),
        working_on("auto"),
    ):
        pass
    assert ClusterError.exit_status == 3


@contextmanager
def of_four() -> Iterator[Executor]:
    executor = InBytes()
    executor.n_here = 4
    with using(executor):
        yield executor


def test_workers_of_this_machine_must_fit_into_it_together(monkeypatch: pytest.MonkeyPatch) -> None:
    model, other = pulink.PULLPlus(), pulink.L3N()
    cost = cost_of(model, GRAPH)
    assert cost is not None
    monkeypatch.setattr(memory, "available_bytes", lambda: 2 * cost.n_bytes)
    model.check_serves(GRAPH)
    with of_four(), pytest.raises(TooLargeError, match=r"in 4 processes needs about .* use fewer of them, or"):
        model.check_serves(GRAPH)
    with of_four():
        other.check_serves(GRAPH)
