"""Starlette's test client."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # Its next version wants another library below; this one works with httpx.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient as TestClient
