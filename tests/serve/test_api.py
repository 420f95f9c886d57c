"""What each endpoint answers, worked out from the graph by hand."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pulink
from pulink.serve.api.endpoints import ENDPOINTS
from tests.serve.conftest import (
    HOSTILE,
    Open,
    answered,
    directed_edges,
    message,
    named_edges,
    next_of,
    sided_edges,
)
from tests.support.served import TestClient

SECRETS = {"probability", "score", "rank", "stratum", "low", "high", "kind", "scores"}


def keys_of(value: Any) -> set[str]:
    """Every key at every depth."""
    if isinstance(value, dict):
        return set(value).union(*(keys_of(own) for own in value.values()))
    return set().union(*(keys_of(own) for own in value)) if isinstance(value, list) else set()


def get(client: TestClient, path: str, **parameters: Any) -> Any:
    response = client.get(f"/api/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def test_the_run_is_what_find_wrote(opened: Open) -> None:
    client = opened()
    run = get(client, "run")
    edges = named_edges()
    assert (run["kind"], run["ends"], run["n_nodes"], run["n_edges"]) == (
        "undirected",
        ["source", "target"],
        60,
        len(edges),
    )
    assert (run["state"], run["read_only"], run["reviewer"]) == ("ready", False, "me")
    assert run["questions"] == {"asked": 0, "answered": 0, "goal": 50}
    next_of(client)
    assert get(client, "run")["questions"] == {"asked": 1, "answered": 0, "goal": 50}


def test_a_question_never_carries_what_the_model_thinks(opened: Open) -> None:
    client = opened()
    known = {frozenset(pair) for pair in named_edges()}
    asked = set()
    for number in range(1, 6):
        body = get(client, "questions/next", reviewer="me")
        question = body["question"]
        assert set(body) == {"question", "goal", "n_answered", "enough"}
        assert set(question) == {"id", "source", "target", "reasons", "number"}
        assert not keys_of(body) & SECRETS
        assert not any(" (+" in reason or " (-" in reason for reason in question["reasons"])
        assert (question["number"], body["n_answered"]) == (number, number - 1)
        pair = frozenset((question["source"]["name"], question["target"]["name"]))
        assert pair not in known
        asked.add(pair)
        assert get(client, "questions/next", reviewer="me") == body
        assert answered(client, question=question["id"], answer="no link").status_code == 201
    assert len(asked) == 5


def test_a_pair_is_blind_until_it_is_answered_or_revealed(opened: Open) -> None:
    client = opened()
    question = next_of(client)
    ends = {"source": question["source"]["name"], "target": question["target"]["name"]}
    blind = get(client, "pairs", **ends)
    assert not keys_of(blind) & {"probability", "score", "rank", "stratum", "low", "high"}
    assert blind["question"] == question["id"]
    assert [reason["text"] for reason in blind["reasons"]] == question["reasons"]
    revealed = get(client, "pairs", **ends, reveal=1)
    assert 0 <= revealed["low"] <= revealed["probability"] <= revealed["high"] <= 1
    answered(client, question=question["id"], note="sure")
    told = get(client, "pairs", **ends)
    assert 0 <= told["probability"] <= 1
    assert [(row["answer"], row["note"]) for row in told["history"]] == [("link", "sure")]


def test_a_pair_shows_what_is_recorded_around_it(shared: TestClient) -> None:
    edges = named_edges()
    degrees = Counter(node for pair in edges for node in pair)
    first, second = edges[0]
    pair = get(shared, "pairs", source=second, target=first)
    assert {pair["source"]["name"], pair["target"]["name"]} == {first, second}
    assert pair["known"] == "link"
    drawn = pair["drawing"]
    names = [node["name"] for node in drawn["nodes"]]
    assert {node["name"] for node in drawn["nodes"] if node["end"]} == {first, second}
    assert all(node["degree"] == degrees[node["name"]] for node in drawn["nodes"])
    assert all(0 <= node[axis] <= 1 for node in drawn["nodes"] for axis in "xy")
    known = {frozenset(edge) for edge in edges}
    expected = {edge for edge in known if edge <= set(names)}
    assert {frozenset((names[i], names[j])) for i, j in drawn["edges"]} == expected
    assert len(drawn["edges"]) == len(expected)
    assert drawn["directed"] is False


def test_a_node_with_its_neighbours_and_likeliest_links(shared: TestClient) -> None:
    edges = named_edges()
    near = {b if a == HOSTILE else a for a, b in edges if HOSTILE in (a, b)}
    node = get(shared, "nodes/one", name=HOSTILE)
    assert node["node"] == {"name": HOSTILE, "type": ""}
    assert node["degree"] == len(near)
    assert {other["name"] for other in node["neighbours"]} == near
    proposed = [({link["source"]["name"], link["target"]["name"]} - {HOSTILE}).pop() for link in node["links"]]
    assert not set(proposed) & near
    chances = [link["probability"] for link in node["links"]]
    assert chances == sorted(chances, reverse=True)
    suggested = get(shared, "suggest", node=HOSTILE, top=3)
    assert suggested["node"] == HOSTILE
    assert [link["target"] for link in suggested["links"]] == proposed[:3]
    assert all(link["reason"] == link["reasons"][0]["text"] for link in suggested["links"])


def test_nodes_are_found_by_a_part_of_their_names(shared: TestClient) -> None:
    names = [node["name"] for node in get(shared, "nodes", q="N1", size=5)["nodes"]]
    assert names[0] == "n1"
    assert len(names) == 5
    assert all(name.startswith("n1") for name in names)
    assert [node["name"] for node in get(shared, "nodes", q="<script>")["nodes"]] == [HOSTILE]
    assert get(shared, "nodes", q=".*")["nodes"] == []
    degrees = [node["degree"] for node in get(shared, "nodes")["nodes"]]
    assert len(degrees) == 20
    assert degrees == sorted(degrees, reverse=True)


def test_links_by_page_probability_node_and_answer(opened: Open) -> None:
    client = opened()
    every = get(client, "links", size=10_000)
    links = every["links"]
    # 60 nodes have 1,770 pairs.
    assert every["n_links"] == len(links) == 1_770 - len(named_edges())
    assert [link["rank"] for link in links] == sorted(link["rank"] for link in links)
    page = get(client, "links", page=2, size=7)
    assert page["links"] == links[7:14]
    middle = links[100]["probability"]
    assert get(client, "links", min_probability=middle, size=1)["n_links"] == sum(
        own["probability"] >= middle for own in links
    )
    assert get(client, "links", max_probability=middle, size=1)["n_links"] == sum(
        own["probability"] <= middle for own in links
    )
    of_node = get(client, "links", node=HOSTILE, size=100)["links"]
    assert of_node == [own for own in links if HOSTILE in (own["source"]["name"], own["target"]["name"])]
    group = every["groups"][0]["group"]
    assert get(client, "links", group=group, size=10_000)["links"] == [
        own for own in links if own["group"] == group
    ]
    names = [own["source"]["name"] for own in get(client, "links", sort="source", size=10_000)["links"]]
    assert names == sorted(names)
    question = next_of(client)
    answered(client, question=question["id"], answer="no link")
    (told,) = get(client, "links", answered="no link")["links"]
    assert (told["source"], told["target"], told["answer"]) == (question["source"], question["target"], "no link")
    assert get(client, "links", answered="yes")["n_links"] == 1
    assert get(client, "links", answered="no")["n_links"] == len(links) - 1
    assert get(client, "links", answered="link")["links"] == []
    assert get(client, "links", page=1_000)["links"] == []


def test_links_of_pages_and_of_the_api_are_the_same(shared: TestClient) -> None:
    from pulink.serve.content.links import LinksQuery

    explore = shared.app.state.explore  # type: ignore[attr-defined]
    query = LinksQuery(size=20, node={"name": HOSTILE, "type": ""})
    assert json.loads(explore.links_json(query)) == explore.links(query)


def test_scores_of_pairs_as_names_and_as_nodes(shared: TestClient) -> None:
    edge = named_edges()[0]
    free = next(own for own in get(shared, "links", size=1)["links"])
    pairs = [list(edge), [free["target"], free["source"]["name"]]]
    scores = shared.post("/api/score", json={"pairs": pairs}).json()["scores"]
    assert [own["known"] for own in scores] == ["link", None]
    assert scores[1]["probability"] == pytest.approx(free["probability"])
    assert (scores[1]["low"], scores[1]["high"]) == pytest.approx((free["low"], free["high"]))
    explained = get(shared, "explain", source=free["source"]["name"], target=free["target"]["name"])
    assert explained["probability"] == pytest.approx(free["probability"])
    assert explained["reason"] == explained["reasons"][0]["text"]


def test_estimates_and_certificates_follow_the_answers(opened: Open) -> None:
    client = opened()
    before = get(client, "estimate")
    assert (before["n_links"], before["certified"]) == (0, {"0.1": 0, "0.2": 0})
    assert get(client, "certificate", level=0.5)["refused"] is not None
    for _ in range(20):
        last = answered(client, question=next_of(client)["id"]).json()["estimate"]
    after = get(client, "estimate")
    assert after == last
    assert (after["n_links"], after["n_no_links"], after["n_unsure"], after["bounds_unsure"]) == (20, 0, 0, None)
    assert after["missing"]["best"] > before["missing"]["best"]
    assert after["before"] == before["before"]
    certificate = get(client, "certificate", level=0.9)
    length = certificate["certified"]["length"]
    assert certificate["refused"] is None
    assert length > 0
    assert (
        0.1
        <= certificate["certified"]["low"]
        <= certificate["certified"]["mean"]
        <= certificate["certified"]["high"]
    )
    lengths = [point["length"] for point in certificate["curve"]]
    assert lengths == sorted(set(lengths))
    rows = list(csv.DictReader(io.StringIO(client.get("/api/export/certified.csv?level=0.9").text)))
    assert len(rows) == length
    answered(client, question=next_of(client)["id"], answer="unsure")
    assert len(get(client, "estimate")["bounds_unsure"]) == 2


def test_exports_are_read_back_with_names_that_no_spreadsheet_computes(opened: Open, tmp_path: Path) -> None:
    client = opened()
    free = get(client, "links", node=HOSTILE, size=1)["links"][0]
    note = '=1+1\n"two"'
    answered(client, source=free["source"], target=free["target"], note=note, seconds=2.5)
    answered(client, question=next_of(client)["id"], answer="no link")
    for name, rows in (("accepted", 1), ("absent", 1), ("reviews", 2)):
        response = client.get(f"/api/export/{name}.csv")
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        assert response.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
        assert pl.read_csv(response.content, infer_schema=False).height == rows
    text = client.get("/api/export/reviews.csv").text
    assert "'=cmd" in text
    assert "'=1+1" in text
    file = tmp_path / "accepted.csv"
    file.write_bytes(client.get("/api/export/accepted.csv").content)
    assert HOSTILE in pulink.read(file).names.series().to_list()


def test_answers_are_listed_with_who_said_what(opened: Open) -> None:
    client = opened(controls=True)
    first, second = next_of(client), None
    answered(client, question=first["id"], reviewer="Ada")
    answered(client, question=first["id"], reviewer="Bob", answer="no link")
    second = next_of(client)
    answered(client, question=second["id"], reviewer="Ada", answer="unsure")
    listed = get(client, "answers")
    assert [own["question"]["id"] for own in listed["answers"]] == [second["id"], first["id"]]
    split = listed["answers"][1]
    assert (split["answer"], split["disagreement"], split["question"]["kind"]) == ("unsure", True, "sample")
    assert [(row["reviewer"], row["answer"]) for row in split["standing"]] == [("Ada", "link"), ("Bob", "no link")]
    assert listed["reviewers"] == [
        {"name": "Ada", "n_answers": 2, "agrees": 0.0},
        {"name": "Bob", "n_answers": 1, "agrees": 0.0},
    ]
    assert listed["controls"] == {"asked": 0, "recognised": 0}
    assert get(client, "answers", reviewer="Bob")["n_answers"] == 1
    assert get(client, "answers", answer="disagreement")["n_answers"] == 1
    assert get(client, "answers", answer="link")["answers"] == []
    opinion = get(client, "questions/next", reviewer="Bob", second_opinion=1)["question"]
    assert opinion["id"] == second["id"]


def test_a_control_looks_like_any_question_until_it_is_answered(opened: Open) -> None:
    client = opened(controls=True)
    known = {frozenset(pair) for pair in named_edges()}
    while True:
        question = next_of(client)
        ends = {"source": question["source"]["name"], "target": question["target"]["name"]}
        if frozenset(ends.values()) in known:
            break
        answered(client, question=question["id"], answer="no link")
    blind = get(client, "pairs", **ends)
    assert blind["known"] is None
    assert [0, 1] not in blind["drawing"]["edges"]
    answered(client, question=question["id"])
    told = get(client, "pairs", **ends)
    assert told["known"] == "link"
    assert [0, 1] in told["drawing"]["edges"]
    assert get(client, "answers")["controls"] == {"asked": 1, "recognised": 1}


def test_links_of_a_directed_graph_have_a_direction(opened: Open) -> None:
    client, edges = opened("directed"), set(directed_edges())
    run = get(client, "run")
    assert (run["kind"], run["n_edges"]) == ("directed", len(edges))
    first, second = next((a, b) for a, b in sorted(edges) if (b, a) not in edges)
    assert get(client, "pairs", source=first, target=second)["known"] == "link"
    back = get(client, "pairs", source=second, target=first)
    assert (back["known"], back["source"]["name"], back["drawing"]["directed"]) == (None, second, True)
    names = [node["name"] for node in back["drawing"]["nodes"]]
    drawn = {(names[i], names[j]) for i, j in back["drawing"]["edges"]}
    assert drawn == {edge for edge in edges if set(edge) <= set(names)}
    links = get(client, "links", size=10_000)["links"]
    assert len(links) == 60 * 59 - len(edges)
    assert not {(own["source"]["name"], own["target"]["name"]) for own in links} & edges


def test_names_that_two_types_share_are_told_apart(opened: Open) -> None:
    client, edges = opened("bipartite"), set(sided_edges())
    run = get(client, "run")
    assert (run["kind"], run["n_nodes"]) == ("bipartite", 60)
    question = next_of(client)
    types = [question["source"]["type"], question["target"]["type"]]
    assert len(set(types)) == 2
    assert "" not in types
    user, item = types
    first, second = sorted(edges)[0]
    assert get(client, "pairs", source=first, target=second)["known"] == "link"
    there = get(client, "pairs", source=second, source_type=item, target=first, target_type=user)
    assert (there["known"], there["source"]) == ("link", {"name": first, "type": user})
    ambiguous = client.get("/api/nodes/one", params={"name": "1"})
    assert ambiguous.status_code == 400
    assert "several types" in message(ambiguous)
    node = get(client, "nodes/one", name="1", type=item)
    assert {own["name"] for own in node["neighbours"]} == {a for a, b in edges if b == "1"}
    assert {own["type"] for own in node["neighbours"]} == {user}
    assert get(client, "suggest", node=f"{item}:1", top=2)["node"] == "1"
    same_side = client.get(
        "/api/pairs", params={"source": "1", "source_type": user, "target": "2", "target_type": user}
    )
    assert same_side.status_code == 400
    links = get(client, "links", node="1", node_type=user, size=10_000)["links"]
    free = {b for b in {b for _, b in edges} if ("1", b) not in edges}
    assert {own["target"]["name"] for own in links} == free
    assert {(own["source"]["name"], own["source"]["type"]) for own in links} == {("1", user)}
    answered(client, question=question["id"])
    assert "source_type" in client.get("/api/export/reviews.csv").text.splitlines()[0]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("pairs", 400), ("pairs?source=n1", 400), ("pairs?source=n1&target=n1", 400),
        ("pairs?source=n1&target=", 404),
        ("pairs?source=n1&target=nobody", 404), ("pairs?source=n1&target=n2&reveal=perhaps", 400),
        ("pairs?source=n1&target=n2&source_type=user", 404), ("nodes/one?name=nobody", 404),
        ("suggest?node=a:b:c", 404),
        ("links?page=0", 400), ("links?page=1.5", 400), ("links?size=10001", 400), ("links?size=many", 400),
        ("links?min_probability=NaN", 400), ("links?min_probability=inf", 400),
        ("links?min_probability=1e999", 400),
        ("links?max_probability=-0.1", 400), ("links?sort=probability;drop", 400), ("links?answered=perhaps", 400),
        ("links?unknown=1", 400), ("links?page=1&page=2", 400), ("links?node=nobody", 404), ("links?q=%ff", 400),
        ("links?group=99999999999999999999", 400), ("certificate?level=0", 400), ("certificate?level=1", 400),
        ("nowhere", 404), ("run/", 404), ("questions/next?reviewer=" + "x" * 101, 400),
        ("nodes?q=" + "x" * 5_000, 400), ("links?" + "&".join(["page=1"] * 60), 400),
        ("export/other.csv", 404), ("export/..%2freviews.csv", 404),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_one_line(shared: TestClient, path: str, status: int) -> None:
    response = shared.get(f"/api/{path}")
    assert response.status_code == status
    message(response)


def test_the_document_names_every_endpoint(shared: TestClient) -> None:
    document = get(shared, "openapi.json")
    assert document["openapi"] == "3.1.0"
    described = {(method.upper(), path) for path, own in document["paths"].items() for method in own}
    assert described == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    routed = {(method, route.path) for route in shared.app.routes for method in route.methods}  # type: ignore[attr-defined]
    assert described <= routed
