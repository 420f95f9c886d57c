"""Answers over HTTP: written once, undone, and never lost among many who answer at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pulink.persistence.ledger import Ledger
from tests.serve.conftest import BASE, TOKEN, Open, answered, message, next_of
from tests.support.served import TestClient


def rows(client: TestClient) -> list[Any]:
    """What is in the ledger's file."""
    explore = client.app.state.explore  # type: ignore[attr-defined]
    ledger = Ledger(explore.session.ledger.file, read_only=True)
    try:
        return ledger.answers()
    finally:
        ledger.close()


def test_the_same_key_is_the_same_answer_and_never_another(opened: Open) -> None:
    client = opened()
    question = next_of(client)["id"]
    sent = {"question": question, "note": "seen", "seconds": 3.2, "key": "k1"}
    first = answered(client, **sent)
    again = answered(client, **sent)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["answer"] == again.json()["answer"]
    for other in (
        {"answer": "no link"},
        {"note": "not seen"},
        {"seconds": 3.3},
        {"reviewer": "Ada"},
        {"question": 99},
    ):
        response = answered(client, **(sent | other))
        assert response.status_code == 409
        message(response)
    assert client.post("/api/answers", json={"undo": True, "reviewer": "me", "key": "k1"}).status_code == 409
    assert [(row.question, row.answer, row.note, row.seconds) for row in rows(client)] == [
        (question, "link", "seen", 3.2)
    ]


def test_undo_is_an_answer_and_the_pair_is_asked_again(opened: Open) -> None:
    client = opened()
    first = next_of(client)
    answered(client, question=first["id"], note="a note")
    second = next_of(client)
    assert second["id"] != first["id"]
    undo = {"undo": True, "reviewer": "me", "key": "u1"}
    response = client.post("/api/answers", json=undo)
    assert response.status_code == 201
    assert (response.json()["answer"]["answer"], response.json()["answer"]["question"]) == (
        "taken back",
        first["id"],
    )
    assert response.json()["estimate"]["n_links"] == 0
    assert client.post("/api/answers", json=undo).status_code == 200
    assert client.post("/api/answers", json={"undo": True, "reviewer": "me"}).status_code == 409
    assert next_of(client)["id"] == first["id"]
    assert [row.answer for row in rows(client)] == ["link", "taken back"]


def test_a_pair_that_somebody_looked_up_is_kept_but_not_counted(opened: Open) -> None:
    client = opened()
    link = client.get("/api/links?size=1&page=900").json()["links"][0]
    ends = {"source": link["source"], "target": link["target"]["name"]}
    response = answered(client, **ends, key="own")
    assert response.status_code == 201
    assert response.json()["estimate"]["n_links"] == 0
    assert answered(client, **ends, key="own").status_code == 200
    assert answered(client, source="n1", target="n2", key="own").status_code == 409
    listed = client.get("/api/answers").json()["answers"]
    assert [own["question"]["kind"] for own in listed] == ["own"]
    assert client.get("/api/run").json()["questions"]["answered"] == 0
    assert answered(client, source="n1", target="nobody").status_code == 404


def test_a_drawn_pair_that_is_looked_up_is_the_question_that_was_drawn(opened: Open) -> None:
    client = opened()
    question = next_of(client)
    response = answered(client, source=question["target"], target=question["source"])
    assert response.json()["answer"]["question"] == question["id"]
    assert response.json()["estimate"]["n_links"] == 1


def test_an_answer_can_be_changed(opened: Open) -> None:
    client = opened()
    question = next_of(client)["id"]
    before = answered(client, question=question).json()["answer"]
    after = answered(client, question=question, answer="no link").json()
    assert after["answer"]["supersedes"] == before["id"]
    assert (after["estimate"]["n_links"], after["estimate"]["n_no_links"]) == (0, 1)


def browser(client: TestClient) -> TestClient:
    """Another browser on the same application, with a cookie of its own."""
    other = TestClient(client.app, base_url=BASE, follow_redirects=False)
    assert other.get("/enter", params={"token": TOKEN}).status_code == 303
    return other


def test_two_browsers_are_asked_different_questions(opened: Open) -> None:
    client = opened()
    first, second = browser(client), browser(client)
    one, other = next_of(first), next_of(second)
    assert one["id"] != other["id"]
    assert next_of(first)["id"] == one["id"]
    answered(first, question=one["id"])
    assert next_of(first)["id"] not in (one["id"], other["id"])


def test_fifty_sessions_at_once_lose_nothing_and_ask_nothing_twice(opened: Open) -> None:
    client = opened()
    n_sessions, n_answers = 50, 2

    def session(number: int) -> list[tuple[int, str]]:
        own, kept = browser(client), []
        for k in range(n_answers):
            question = next_of(own, f"reviewer {number}")
            key = f"{number}-{k}"
            response = answered(own, question=question["id"], reviewer=f"reviewer {number}", key=key)
            assert response.status_code == 201, response.text
            kept.append((question["id"], key))
        return kept

    with ThreadPoolExecutor(n_sessions) as pool:
        kept = [own for of_session in pool.map(session, range(n_sessions)) for own in of_session]
    written = [(row.question, row.key) for row in rows(client)]
    assert sorted(written) == sorted(kept)
    assert len({question for question, _ in written}) == n_sessions * n_answers


def test_too_many_at_once_are_told_to_come_again(opened: Open) -> None:
    import threading

    client = opened(waiting=2)
    explore, go_on = client.app.state.explore, threading.Event()  # type: ignore[attr-defined]
    explore.worker.run(lambda: None)
    explore.worker.submit(go_on.wait)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(client.get, "/api/estimate") for _ in range(8)]
        while sum(one.done() for one in asked) < 5:
            pass
        go_on.set()
        statuses = [one.result().status_code for one in asked]
    assert set(statuses) == {200, 503}
    assert client.get("/api/estimate").status_code == 200


def test_what_takes_too_long_is_given_up(opened: Open) -> None:
    import threading

    client, go_on = opened(seconds=0.2), threading.Event()
    client.app.state.explore.worker.submit(go_on.wait)  # type: ignore[attr-defined]
    response = client.get("/api/links")
    go_on.set()
    assert response.status_code == 503
    assert "longer than 0.2 seconds" in message(response)


@pytest.mark.parametrize("answer", ["link", "no link", "unsure"])
def test_every_answer_can_be_given(opened: Open, answer: str) -> None:
    client = opened()
    response = answered(client, question=next_of(client)["id"], answer=answer)
    name = {"link": "n_links", "no link": "n_no_links", "unsure": "n_unsure"}[answer]
    assert response.json()["estimate"][name] == 1
