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

# Right ones and wrong ones for each endpoint: some take nothing that could be wrong.
N_SLOW, N_EACH = 10_000, 350


NAMES = ("n1", "n2", "n3", "n40", HOSTILE)
N_QUESTIONS = 20


def _made_sensible(case: Any, number: int) -> None:
    """Every other request is about nodes and questions that are there."""
    if number % 2:
        for values in (case.query, case.body):
            for place, key in enumerate(("source", "target", "name", "node")):
                if isinstance(values, dict) and key in values:
                    values[key] = NAMES[(number // 2 + place) % len(NAMES)]
        if isinstance(case.body, dict) and "question" in case.body:
            case.body["question"] = number // 2 % N_QUESTIONS + 1
        if isinstance(case.body, dict) and isinstance(case.body.get("pairs"), list):
            case.body["pairs"] = [["n1", {"name": "n2"}] for _ in case.body["pairs"]]


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
    for number in range(N_QUESTIONS):
        app.state.explore.next_question("somebody", str(number))
    schema = schemathesis.openapi.from_asgi(
        "/api/openapi.json", app, headers={"Authorization": f"Bearer {TOKEN}", "Host": "localhost"}
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
        _made_sensible(case, statuses.total())
        response = case.call(headers={"Authorization": f"Bearer {TOKEN}", "Host": "localhost"})
        statuses[response.status_code] += 1
        case.validate_response(response, checks=checks)

    for endpoint in ENDPOINTS:
        operation = schema[endpoint.path][endpoint.method]
        has_values = endpoint.parameters or endpoint.body is not None
        for mode in GenerationMode if has_values else [GenerationMode.POSITIVE]:
            chosen = settings(
                max_examples=n_examples,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            chosen(given(case=operation.as_strategy(generation_mode=mode))(send))()
    app.state.explore.close()
    return statuses


@pytest.fixture
def folder(fitted: Callable[[str], Path], tmp_path: Path) -> Path:
    shutil.copytree(fitted("undirected"), tmp_path / "results")
    return tmp_path / "results"


def test_some_generated_requests(folder: Path) -> None:
    statuses = asked(folder, 3)
    assert max(statuses) < 500
    assert {200, 201, 400, 404, 422} <= set(statuses)


@pytest.mark.slow
def test_ten_thousand_generated_requests(folder: Path) -> None:
    statuses = asked(folder, N_EACH)
    assert max(statuses) < 500
    assert statuses.total() >= N_SLOW
    print(sorted(statuses.items()))
