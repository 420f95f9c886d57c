"""The OpenAPI 3.1 document of the API, made from its table."""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from pulink.serve.api.endpoints import ENDPOINTS, EVERYWHERE, JSON, Endpoint, Parameter
from pulink.serve.api.shapes import ERROR


def document() -> dict[str, Any]:
    """All endpoints, what they take and what they answer."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "pulink explore", "version": version("pulink")},
        "paths": paths,
        "components": {
            "schemas": {"Error": ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    answers = {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "content": {endpoint.media: {"schema": {"type": "string"} if shape is None else shape}},
        }
        for status, shape in endpoint.answers.items()
    }
    error = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    refusals = {
        str(status): {"description": HTTPStatus(status).phrase, "content": error}
        for status in sorted({*EVERYWHERE, *endpoint.errors})
    }
    found: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [_parameter(own) for own in endpoint.parameters],
        "responses": answers | refusals,
    }
    if endpoint.body is not None:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": endpoint.body}}}
    return found


def _parameter(own: Parameter) -> dict[str, Any]:
    default = {} if own.default is None else {"default": own.default}
    return {
        "name": own.name,
        "in": "query",
        "required": own.needed,
        "description": own.meaning,
        "schema": own.shape | default,
    }
