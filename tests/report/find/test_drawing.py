"""The drawing: forces equal to their slow sum, neighbours near each other, names that can be read."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from pulink.report.find.content import Drawing
from pulink.report.find.drawing import HEIGHT, WIDTH, Scene, scene_of
from pulink.report.find.groups import groups_of
from pulink.report.find.labels import box_of, clipped, place_labels, text_width
from pulink.report.find.layout import _kernel, _repulsion, layout
from pulink.report.find.network_svg import network_svg
from pulink.report.find.sections import drawing_section


def test_repulsion_by_the_mesh_is_the_sum_over_all_pairs() -> None:
    turns = np.arange(300)
    z = np.sqrt(turns) * np.exp(2.4j * turns)
    mass = 1.0 + turns % 3
    between = z[:, None] - z[None, :]
    np.fill_diagonal(between, np.inf)
    slow = (mass[None, :] / np.conj(between)).sum(axis=1)
    fast = _repulsion(z, mass, _kernel(128))
    assert np.abs(fast - slow).max() < 0.05 * np.abs(slow).max()


def test_two_nodes_push_each_other_apart_along_their_line() -> None:
    force = _repulsion(np.array([0, 3 + 4j]), np.array([1.0, 2.0]), _kernel(64))
    assert force[1] == pytest.approx((3 + 4j) / 25, rel=0.01)
    assert force[0] == pytest.approx(-2 * (3 + 4j) / 25, rel=0.01)


def cliques(size: int) -> np.ndarray:
    pairs = list(combinations(range(size), 2))
    return np.array([*pairs, *((a + size, b + size) for a, b in pairs), (0, size)])


def test_two_groups_lie_apart() -> None:
    places = layout(24, cliques(12), 1.4) * (1.4, 1)
    distances = np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1))
    assert distances[:12, 12:].mean() > 2 * distances[:12, :12].mean()


@pytest.mark.parametrize("n_nodes", [1, 2, 5, 500])
def test_nodes_lie_inside_apart_and_always_at_the_same_place(n_nodes: int) -> None:
    ends = np.array([(k // 2, k) for k in range(1, n_nodes)], dtype=np.int64).reshape(-1, 2)
    places = layout(n_nodes, ends, 1.4)
    assert places.shape == (n_nodes, 2)
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9
    assert len(np.unique(places.round(3), axis=0)) == n_nodes
    np.testing.assert_array_equal(layout(n_nodes, ends, 1.4), places)


def ring(n_nodes: int, n_links: int) -> Drawing:
    observed = tuple((k, (k + 1) % n_nodes) for k in range(n_nodes))
    proposed = tuple((k, (k + n_nodes // 3) % n_nodes, 0.9 - 0.8 * k / n_links) for k in range(n_links))
    return Drawing(tuple(f"gene-{k}" for k in range(n_nodes)), (2,) * n_nodes, observed, proposed)


def drawn(drawing: Drawing) -> tuple[Scene, str]:
    scene = scene_of(drawing)
    assert scene is not None
    return scene, network_svg(scene, drawing.degrees)


def test_names_touch_neither_each_other_nor_nodes_nor_the_border() -> None:
    places = np.random.default_rng(0).uniform(0, 1, (200, 2)) * (600, 400)
    radii = np.full(200, 3.0)
    names = tuple("n" * (k % 12 + 1) for k in range(200))
    labels = place_labels(names, range(200), places, radii, 12, (600, 400))
    boxes = [box_of(label, 12) for label in labels]
    assert 20 < len(labels) < 200
    for a, b in combinations(boxes, 2):
        assert a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
    for label, (left, top, right, bottom) in zip(labels, boxes, strict=True):
        assert left >= 0 and top >= 0 and right <= 600 and bottom <= 400
        inside = (places[:, 0] > left) & (places[:, 0] < right) & (places[:, 1] > top) & (places[:, 1] < bottom)
        assert label.node < 16 or not inside.any()


def test_long_names_are_cut_and_wide_letters_take_more_room() -> None:
    assert clipped("x" * 100) == "x" * 25 + "…"
    assert clipped("a\u202eb") == "a\\u202Eb"
    assert text_width("日本", 10) > text_width("ab", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_lines_are_there_and_likelier_ones_darker() -> None:
    scene, svg = drawn(ring(30, 20))
    shades = [float(own) for own in re.findall(r'<path data-link="\d+" stroke-opacity="([\d.]+)"', svg)]
    assert len(shades) == 20
    assert shades == sorted(shades)
    assert (shades[0], shades[-1]) == (0.4, 1.0)
    observed = re.search(r'<path class="observed"[^>]* d="(.*?)"', svg)
    assert observed is not None
    assert observed[1].count("M") == 30
    assert "<title>gene-0 and gene-10: 90.0%</title>" in svg
    assert scene.words == "Drawn: 20 proposed links and 30 recorded links around, between 30 nodes."


def test_a_line_joins_its_own_nodes() -> None:
    _, svg = drawn(ring(12, 3))
    at = {name: (x, y) for x, y, name in re.findall(r'cx="(.*?)" cy="(.*?)" r="[\d.]+"><title>(.*?): ', svg)}
    lines = re.findall(r'd="M(\S+) (\S+)L(\S+) (\S+)"><title>(\S+) and (\S+): ', svg)
    assert len(lines) == 3
    for x, y, x2, y2, a, b in lines:
        assert (x, y) == at[a]
        assert (x2, y2) == at[b]


def test_a_large_drawing_says_what_it_leaves_out() -> None:
    scene, svg = drawn(ring(2600, 2500))
    assert scene.words == (
        "Drawn: 2,000 of 2,500 proposed links and 2,600 recorded links around, between 2,600 nodes."
    )
    assert len(svg) < 1e6
    for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg):
        assert 0 < float(x) < WIDTH
        assert 0 < float(y) < HEIGHT


def test_few_links_are_all_named_and_nodes_without_lines_are_left_out() -> None:
    scene, svg = drawn(Drawing(("a", "b", "alone"), (1, 0, 3), (), ((0, 1, 0.5),)))
    assert scene.words == "Drawn: 1 proposed link, between 2 nodes."
    assert [label.text for label in scene.labels] == ["a", "b"]
    assert "alone" not in svg
    assert scene_of(Drawing(("a", "b"), (1, 1), ((0, 1),), ())) is None


def test_of_links_between_few_nodes_only_so_many_are_drawn_that_one_can_follow() -> None:
    """All pairs of 40 nodes are 780 links; two are drawn for each end, the likeliest."""
    pairs = [(a, b) for b in range(40) for a in range(b)]
    names = tuple(map(str, range(40)))
    scene, _ = drawn(Drawing(names, (39,) * 40, tuple(pairs), tuple((a, b, 0.5) for a, b in pairs)))
    assert scene.words == "Drawn: 50 of 780 proposed links and 50 of 780 recorded links around, between 11 nodes."
    assert len(scene.known) == 55


def test_what_the_script_reads_are_the_places_of_nodes_in_the_given_names() -> None:
    """Nodes 0 and 5 are far from the link: the rest keep their numbers."""
    names = tuple("abcdef")
    scene, svg = drawn(Drawing(names, (9, 2, 3, 2, 1, 0), ((1, 2), (2, 3)), ((1, 3, 0.5),)))
    assert scene.nodes == (1, 2, 3)
    assert 'data-degrees="9 2 3 2 1 0" data-edges="1:2;2:3"' in svg
    assert re.findall(r'data-n="(\d)".*?<title>(\w): (\d) ', svg) == [
        ("2", "c", "3"),
        ("1", "b", "2"),
        ("3", "d", "2"),
    ]


def test_nodes_with_more_links_are_larger_and_none_vanishes() -> None:
    scene, _ = drawn(Drawing(tuple("abc"), (1, 100, 900), ((0, 1),), ((1, 2, 0.5),)))
    assert scene.radii[0] < scene.radii[1] < scene.radii[2]
    assert scene.radii[0] > 0.2 * scene.radii[2]


def test_groups_are_cliques_and_nodes_without_a_link_are_alone() -> None:
    labels = groups_of(26, cliques(12))
    assert labels.tolist() == [0] * 12 + [1] * 12 + [2, 3]
    assert groups_of(3, np.empty((0, 2), dtype=np.int64)).tolist() == [0, 1, 2]


def test_groups_of_a_planted_graph_are_found_in_any_order_of_edges() -> None:
    """Five groups of 40: of pairs inside, three in ten are linked, of others one in a hundred."""
    random = np.random.default_rng(0)
    planted = np.repeat(np.arange(5), 40)
    a, b = np.triu_indices(200, 1)
    linked = random.random(len(a)) < np.where(planted[a] == planted[b], 0.3, 0.01)
    ends = np.column_stack([a, b])[linked]
    labels = groups_of(200, ends)
    assert all(len(np.unique(labels[planted == group])) == 1 for group in range(5))
    assert len(np.unique(labels)) == 5
    np.testing.assert_array_equal(groups_of(200, ends[random.permutation(len(ends))]), labels)


def test_groups_are_told_by_name_and_small_ones_are_not_told() -> None:
    """Two cliques of eight and a pair; the proposed links do not make them one group."""
    pairs = [tuple(pair) for pair in cliques(8).tolist()][:-1]
    names = tuple(f"gene-{k}" for k in range(18))
    links = tuple((a, b, 0.5) for a in range(8) for b in range(8, 18))
    drawing = Drawing(names, (7,) * 18, (*pairs, (16, 17)), links)
    scene, svg = drawn(drawing)
    assert scene.groups == (0,) * 8 + (1,) * 8 + (-1,) * 2
    assert [(group.n_nodes, group.around) for group in scene.named_groups] == [(8, "gene-0"), (8, "gene-8")]
    assert "<title>gene-3: 7 recorded links, group 1</title>" in svg
    assert "<title>gene-17: 7 recorded links, in no large group</title>" in svg
    text = re.sub("<[^>]*>", "", drawing_section(drawing).split('<div class="keys">')[1])
    assert "group 1: gene-0 and 7 more" in text
    assert "group 2: gene-8 and 7 more" in text


def test_probabilities_that_print_alike_look_alike() -> None:
    """Three print 48.6%, one of them smaller by 1e-16; one prints 40.0%."""
    pairs = ((0, 1, 0.486), (1, 2, 0.486), (2, 3, 0.486 - 1e-16))
    drawings = [Drawing(tuple("abcdef"), (1,) * 6, (), own) for own in (pairs, (*pairs, (3, 4, 0.4)))]
    shades = [re.findall(r'<path data-link="\d" stroke-opacity="([\d.]+)"', drawn(own)[1]) for own in drawings]
    assert shades == [["1.00"] * 3, ["0.40", "1.00", "1.00", "1.00"]]
    entries = [re.findall(r"</svg>(?:proposed, )?(\d+%)<", drawing_section(own)) for own in drawings]
    assert entries == [["49%"], ["49%", "40%"]]
