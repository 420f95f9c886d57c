"""Who may ask: every refusal that is documented, and the headers of every response."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pulink.errors import InputError
from pulink.serve.security import HEADERS, MOST_BYTES
from pulink.serve.settings import ServeSettings
from tests.serve.conftest import BASE, TOKEN, Open, answered, message, next_of
from tests.support.served import TestClient

LINK = {"question": 1, "reviewer": "me", "answer": "link"}


def test_without_a_token_nothing_is_told(stranger: TestClient) -> None:
    client = stranger
    for path in ("/", "/review", "/static/page.js", "/api/run", "/api/openapi.json", "/api/nowhere"):
        response = client.get(path)
        assert response.status_code == 401
        assert "token is needed" in response.text
    assert client.post("/api/answers", json=LINK).status_code == 401


@pytest.mark.parametrize(
    "given", ["Bearer wrong", "Bearer ", "Basic YTpi", f"Bearer {TOKEN}x", TOKEN, "Bearer \xff"]
)
def test_a_wrong_token_is_refused(stranger: TestClient, given: str) -> None:
    response = stranger.get("/api/run", headers={"Authorization": given.encode("latin-1")})
    assert response.status_code == 401
    assert "token is wrong" in message(response)


def test_wrong_tokens_cannot_be_tried_for_ever_and_the_right_one_still_works(opened: Open) -> None:
    client = opened(bearer=False, failures_per_minute=3.0)
    statuses = [client.get("/enter", params={"token": f"guess{k}"}).status_code for k in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    assert client.get("/enter", params={"token": TOKEN}).status_code == 303


def test_the_token_is_exchanged_for_a_cookie_that_no_script_and_no_other_site_gets(opened: Open) -> None:
    client = opened(bearer=False)
    response = client.get("/enter", params={"token": TOKEN})
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("pulink_8000=")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    assert client.get("/api/run").status_code == 200
    forged = client.cookies["pulink_8000"].partition(".")[0] + "." + "0" * 64
    client.cookies.clear()
    assert client.get("/api/run", headers={"Cookie": f"pulink_8000={forged}"}).status_code == 401
    assert client.get("/api/run", headers={"Cookie": 'pulink_8000="\\é; ='.encode()}).status_code == 401


@pytest.mark.parametrize("query", ["", "?token=", "?token=a&token=b", "?" + "&".join("a=b" for _ in range(50))])
def test_entering_needs_one_right_token(stranger: TestClient, query: str) -> None:
    client = stranger
    assert client.get(f"/enter{query}").status_code == 401
    assert client.post(f"/enter?token={TOKEN}", json={}).status_code == 405


HOSTS = {
    "127.0.0.1:8000": 200, "localhost:8000": 200, "LOCALHOST:8000": 200, "[::1]:8000": 200,
    "evil.example:8000": 403, "127.0.0.1:8001": 403, "127.0.0.1": 403, "localhost.evil.example:8000": 403,
    "127.0.0.1.evil.example:8000": 403, "192.168.0.7:8000": 403, "": 403, ":8000": 403, "127.0.0.1:8000:8000": 403,
    "[]:8000": 403, "127.0.0.1:80٣": 403,
}  # fmt: skip


@pytest.mark.parametrize(("host", "status"), HOSTS.items())
def test_only_names_of_this_machine_are_answered(shared: TestClient, host: str, status: int) -> None:
    response = shared.get("/api/run", headers={"Host": host.encode()})
    assert response.status_code == status


def test_a_server_for_others_answers_to_its_addresses_and_its_name() -> None:
    settings = ServeSettings(host="0.0.0.0", port=8000, names=("lab",))  # noqa: S104
    assert all(settings.allows_host(f"{name}:8000") for name in ("192.168.0.7", "lab", "[fe80::1]", "localhost"))
    assert not settings.allows_host("evil.example:8000")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "nonsense"])
def test_a_browser_that_writes_for_another_page_is_refused(shared: TestClient, site: str) -> None:
    client = shared
    assert client.post("/api/answers", json=LINK, headers={"Sec-Fetch-Site": site}).status_code == 403
    reads = client.get("/api/run", headers={"Sec-Fetch-Site": site}).status_code
    assert reads == (200 if site == "none" else 403)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:9000", ""]
)
def test_another_origin_is_refused(shared: TestClient, origin: str) -> None:
    client = shared
    assert client.post("/api/answers", json=LINK, headers={"Origin": origin}).status_code == 403
    assert client.get("/api/links", headers={"Origin": origin}).status_code == 403


def test_the_page_itself_may_write(opened: Open) -> None:
    client = opened()
    question = next_of(client)
    own = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    response = client.post("/api/answers", json=LINK | {"question": question["id"]}, headers=own)
    assert response.status_code == 201


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""]
)
def test_only_json_is_taken(shared: TestClient, kind: str) -> None:
    response = shared.post("/api/answers", content=b"{}", headers={"Content-Type": kind})
    assert response.status_code == 415
    assert message(response) == "send application/json"


def test_large_bodies_are_refused_also_in_pieces_of_unknown_number(shared: TestClient) -> None:
    client, kind = shared, {"Content-Type": "application/json"}
    assert client.post("/api/answers", content=b"x" * (MOST_BYTES + 1), headers=kind).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(MOST_BYTES // 1_000 + 1):
            yield b"x" * 1_000

    response = client.post("/api/answers", content=pieces(), headers=kind)
    assert "content-length" not in response.request.headers
    assert response.status_code == 413
    assert client.post("/api/answers", content=b"x" * MOST_BYTES, headers=kind).status_code == 400


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"\xff\xfe\xfd", 400), (b'{"question":NaN}', 400), (b"[" * 100_000, 400),
        (b"9" * 5_000, 400), (b"null", 422), (b"[]", 422), (b"{}", 422), (b'"text"', 422),
        (b'{"question":1,"reviewer":"me","answer":"perhaps"}', 422),
        (b'{"question":1,"reviewer":"","answer":"link"}', 422),
        (b'{"question":1,"reviewer":"\\ud800","answer":"link"}', 422),
        (b'{"question":1e400,"reviewer":"me","answer":"link"}', 422),
        (b'{"question":99999999999999999999,"reviewer":"me","answer":"link"}', 422),
        (b'{"question":1,"reviewer":"me","answer":"link","seconds":-1}', 422),
        (b'{"question":1,"reviewer":"me","answer":"link","other":1}', 422),
        (b'{"question":true,"reviewer":"me","answer":"link"}', 422),
        (b'{"undo":false,"reviewer":"me"}', 422),
        (b'{"question":7777,"reviewer":"me","answer":"link"}', 404),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_in_one_line(shared: TestClient, body: bytes, status: int) -> None:
    response = shared.post("/api/answers", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == status
    message(response)


def test_writes_have_a_rate(opened: Open) -> None:
    client = opened(writes_per_second=0.5)
    statuses = [client.post("/api/score", json={"pairs": []}).status_code for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    assert client.get("/api/run").status_code == 200


def test_read_only_writes_nothing(opened: Open, tmp_path: Path) -> None:
    client = opened()
    answered(client, question=next_of(client)["id"])
    reader = opened(read_only=True)
    before = (tmp_path / "undirected" / "review.sqlite").read_bytes()
    assert reader.get("/api/run").json()["read_only"] is True
    assert reader.get("/api/estimate").json()["n_links"] == 1
    for response in (
        reader.get("/api/questions/next"),
        answered(reader, question=1),
        reader.post("/api/fit", json={}),
    ):
        assert response.status_code == 403
        assert "read-only" in message(response)
    assert (tmp_path / "undirected" / "review.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    "path", ["/api/run", "/nowhere", "/enter?token=wrong", "/api/nowhere", "/api/export/reviews.csv"]
)
@pytest.mark.parametrize("bearer", [True, False])
def test_every_response_tells_browsers_what_not_to_do(
    shared: TestClient, stranger: TestClient, path: str, bearer: bool
) -> None:
    response = (shared if bearer else stranger).get(path)
    assert {name: response.headers[name] for name in HEADERS} == HEADERS
    assert "'unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_are_not_allowed(shared: TestClient, method: str) -> None:
    response = shared.request(method, "/api/run", json={})
    assert response.status_code == 405
    message(response)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/../../etc/passwd", "/static/"]
)
def test_no_path_is_opened(shared: TestClient, path: str) -> None:
    assert shared.get(path).status_code == 404


def test_what_nobody_has_foreseen_tells_nothing(opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    client = opened()

    def broken() -> None:
        raise RuntimeError("a secret")

    client.app.state.explore.estimate = broken  # type: ignore[attr-defined]
    response = client.get("/api/estimate")
    assert response.status_code == 500
    assert "secret" not in response.text
    message(response)
    assert response.headers["Content-Security-Policy"]
    assert "a secret" in caplog.text


def test_results_that_are_not_there_are_named(opened: Open, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results"):
        opened(folder=tmp_path / "nowhere")


def test_a_web_socket_is_closed(shared: TestClient) -> None:
    from starlette.websockets import WebSocketDisconnect

    client: TestClient = shared
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/run"):
        pass
