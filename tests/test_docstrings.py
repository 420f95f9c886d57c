"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "module",
    ["pulink.graph.graph", "pulink.data.catalog", "pulink.methods.pull.estimator", "pulink.workflows.find"],
)
def test_examples_give_what_they_show(module: str) -> None:
    result = doctest.testmod(import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
