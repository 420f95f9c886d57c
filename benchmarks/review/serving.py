"""How fast the server of `pulink explore` answers, and whether many at once lose anything.

    python -m benchmarks.review.serving [RESULTS]

prints the median milliseconds of a page of 10,000 links and of an answer, on the server's side; then 50 sessions
answer 10 questions each at once, and answers that were lost or asked about twice are counted. Without RESULTS, L3N
is fitted to the sample; with it, a copy of that folder is asked.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

import pulink
from pulink.persistence.ledger import LEDGER, Ledger
from pulink.serve.app import create_app
from pulink.serve.settings import RunSource, ServeSettings

N_LINKS, N_REPEATS = 10_000, 15
N_SESSIONS, N_ANSWERS = 50, 10
_BASE = "http://127.0.0.1:8000"


def client_of(app: Any, token: str) -> httpx.AsyncClient:
    """One that asks the application itself: nothing but the server's side is measured."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=_BASE, headers=headers, timeout=600)


async def timed(client: httpx.AsyncClient, method: str, path: str, **options: Any) -> tuple[float, Any]:
    """Milliseconds, and what was answered."""
    started = time.perf_counter()
    response = await client.request(method, path, **options)
    took = 1_000 * (time.perf_counter() - started)
    assert response.status_code < 300, response.text
    return took, response


async def answered(client: httpx.AsyncClient, reviewer: str, key: str) -> tuple[float, int]:
    """Ask for a question and answer it: milliseconds of the answer, and the question."""
    asked = await client.get("/api/questions/next", params={"reviewer": reviewer})
    question = asked.json()["question"]["id"]
    sent = {
        "question": question,
        "reviewer": reviewer,
        "answer": "link" if question % 3 else "no link",
        "key": key,
    }
    took, _ = await timed(client, "POST", "/api/answers", json=sent)
    return took, question


async def measure(folder: Path) -> dict[str, Any]:
    """All of it, on results that nobody has reviewed."""
    settings = ServeSettings(port=8000, writes_per_second=1e6, seconds=600)
    app = create_app(RunSource(folder), settings)
    async with client_of(app, settings.token) as client:
        await timed(client, "GET", "/api/links")
        pages = [await timed(client, "GET", f"/api/links?size={N_LINKS}") for _ in range(N_REPEATS)]
        answers = [await answered(client, "one", f"one-{k}") for k in range(N_REPEATS)]
        first, _ = await timed(client, "GET", f"/api/links?size={N_LINKS}")

        async def session(number: int) -> list[tuple[str, int, float]]:
            kept = []
            for k in range(N_ANSWERS):
                key = f"{number}-{k}"
                took, question = await answered(client, f"reviewer {number}", key)
                kept.append((key, question, took))
            return kept

        started = time.perf_counter()
        kept = [own for many in await asyncio.gather(*map(session, range(N_SESSIONS))) for own in many]
        seconds = time.perf_counter() - started
    app.state.explore.close()
    ledger = Ledger(folder / LEDGER)
    written = {row.key: row.question for row in ledger.answers()}
    ledger.close()
    return {
        "n_links": len(pages[0][1].json()["links"]),
        "page_ms": round(statistics.median(took for took, _ in pages), 1),
        "page_worst_ms": round(max(took for took, _ in pages), 1),
        "page_after_an_answer_ms": round(first, 1),
        "answer_ms": round(statistics.median(took for took, _ in answers), 1),
        "n_sessions": N_SESSIONS,
        "n_answers": len(kept),
        "seconds": round(seconds, 1),
        "answer_of_many_ms": round(statistics.median(took for _, _, took in kept), 1),
        "n_lost": sum(written.get(key) != question for key, question, _ in kept),
        "n_twice": len(kept) - len({question for _, question, _ in kept}),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "results"
        if len(sys.argv) > 1:
            shutil.copytree(sys.argv[1], folder, ignore=shutil.ignore_patterns(f"{LEDGER}*"))
        else:
            pulink.find("sample", method="l3n").save(folder)
        print(json.dumps(asyncio.run(measure(folder)), indent=1))


if __name__ == "__main__":
    main()
