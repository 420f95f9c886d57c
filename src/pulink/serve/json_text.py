"""Values as JSON that every reader takes: no NaN, no Infinity."""

from __future__ import annotations

import json
import math
from typing import Any


def json_bytes(value: Any) -> bytes:
    """A value as JSON; what is no finite number is null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":")).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(own) for key, own in value.items()}
    return [_finite(own) for own in value] if isinstance(value, list | tuple) else value
