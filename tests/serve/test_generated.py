"""Requests that nobody would think of, made from the OpenAPI document: none of them breaks the server."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pulink.serve.api.endpoints import ENDPOINTS
from pulink.serve.app import create_app
from pulink.serve.settings import RunSource, ServeSettings
from tests.serve.conftest import HOSTILE, TOKEN

N_SLOW = 10_000


def _name_nodes(case: Any, number: int) -> None:
    """Every other request is about nodes that are there."""
    names = ("n1", "n2", "n3", HOSTILE)
    for place, key in enumerate(("source", "target", "name", "node")):
        if number % 2 and isinstance(case.query, dict) and key in case.query:
            case.query[key] = names[(number // 2 + place) % len(names)]


def asked(folder: Path, n_examples: int) -> Counter[int]:
    """Send generated requests to every endpoint, right ones and wrong ones; how many had which status."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import CHECKS
    from schemathesis.generation import GenerationMode

    app = create_app(
        RunSource(folder),
        ServeSettings(token=TOKEN, writes_per_second=1e6, failures_per_minute=1e6, waiting=1_000),
    )
    config = schemathesis.Config()
    config.projects.default.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    schema = schemathesis.openapi.from_asgi(
        "/api/openapi.json", app, headers={"Authorization": f"Bearer {TOKEN}", "Host": "localhost"}, config=config
    )
    checks = CHECKS.get_by_names(
        [
            "not_a_server_error",
            "status_code_conformance",
            "content_type_conformance",
            "response_schema_conformance",
        ]
    )
    statuses: Counter[int] = Counter()

    def send(case: Any) -> None:
        _name_nodes(case, statuses.total())
        response = case.call(headers={"Authorization": f"Bearer {TOKEN}", "Host": "localhost"})
        statuses[response.status_code] += 1
        case.validate_response(response, checks=checks)

    for endpoint in ENDPOINTS:
        operation = schema[endpoint.path][endpoint.method]
        chosen = settings(
            max_examples=n_examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        chosen(given(case=operation.as_strategy())(send))()
    app.state.explore.close()
    return statuses


@pytest.fixture
def folder(fitted: Callable[[str], Path], tmp_path: Path) -> Path:
    shutil.copytree(fitted("undirected"), tmp_path / "results")
    return tmp_path / "results"


def test_some_generated_requests(folder: Path) -> None:
    statuses = asked(folder, 5)
    assert {status for status in statuses if status >= 500} <= {503}
    assert statuses[200] > 20


@pytest.mark.slow
def test_ten_thousand_generated_requests(folder: Path) -> None:
    statuses = asked(folder, -(-N_SLOW // len(ENDPOINTS)))
    assert {status for status in statuses if status >= 500} <= {503}
    assert sum(statuses.values()) >= N_SLOW
