"""Node columns become numbers: what each kind of column turns into."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from pulink.data.columns.encode import NodeFeatures, node_features
from pulink.errors import InputError, ParameterError, UnknownNameError


def encode(kinds: dict[str, str] | None = None, **columns: list[object]) -> NodeFeatures:
    return node_features(pl.DataFrame(columns, strict=False), kinds)


def test_numbers_are_standardised() -> None:
    found = encode(size=[1, 2, 3, 4])
    assert found.names == ("size",)
    values = found.matrix.toarray().ravel()
    np.testing.assert_allclose(values, np.array([-1.5, -0.5, 0.5, 1.5]) / np.sqrt(1.25), rtol=1e-6)
    assert found.notes == ("attributes size (number): 1 feature",)


def test_numbers_written_as_text_are_numbers() -> None:
    as_text = encode(size=["1", " 2e0".strip(), "3.0", "+4"])
    np.testing.assert_array_equal(as_text.matrix.toarray(), encode(size=[1, 2, 3, 4]).matrix.toarray())


@pytest.mark.parametrize("value", [0.1, 3, 1e300])
def test_a_constant_says_nothing(value: float) -> None:
    assert not encode(size=[value] * 7).matrix.toarray().any()


def test_missing_numbers_are_zero_and_marked() -> None:
    for unknown in (None, "", "NA", "nan", "N/A", "?"):
        found = encode(size=["1", unknown, "3"])
        assert found.names == ("size", "size is missing")
        assert found.matrix.toarray().tolist() == [[-1, 0], [0, 1], [1, 0]]
    assert encode(size=[1.0, float("nan"), 3.0]).matrix.toarray().tolist() == [[-1, 0], [0, 1], [1, 0]]


def test_categories_are_one_hot() -> None:
    found = encode(kind=["b", "a", None, "b"])
    assert found.names == ("kind=a", "kind=b", "kind is missing")
    assert found.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_truth_values_are_categories() -> None:
    assert encode(ok=[True, False]).names == ("ok=false", "ok=true")


def test_dates_are_numbers() -> None:
    found = encode(day=[date(2020, 1, 1), date(2020, 1, 3)])
    assert found.matrix.toarray().tolist() == [[-1], [1]]


def test_text_becomes_tfidf_words() -> None:
    texts = ["graph neural network", "graph theory", "neural graph of graph"]
    found = encode(title=texts)
    expected = TfidfVectorizer().fit(texts)
    assert found.names == tuple(f"title: {word}" for word in expected.get_feature_names_out())
    np.testing.assert_allclose(found.matrix.toarray(), expected.transform(texts).toarray(), rtol=1e-6)


def test_text_without_a_word_is_only_missing() -> None:
    assert encode({"title": "text"}, title=["...", None]).names == ("title is missing",)


def test_one_word_per_cell_and_all_different_is_an_identifier() -> None:
    found = encode(code=[f"x{i}" for i in range(50)], size=list(range(50)))
    assert found.names == ("size",)
    assert "code (ignore)" in found.notes[0]


def test_columns_without_any_value_or_with_lists_are_ignored() -> None:
    found = encode(size=[1, 2], empty=[None, None], tags=[["x"], ["y"]])
    assert found.names == ("size",)
    assert found.notes == ("attributes size (number), empty (ignore), tags (ignore): 1 feature",)


def test_a_guess_can_be_overruled() -> None:
    found = encode(
        {"year": "category", "code": "text", "size": "ignore"}, year=[1999, 2001], code=["a", "b"], size=[1, 2]
    )
    assert found.names == ("year=1999", "year=2001", "code: a", "code: b")


def test_columns_may_be_called_anything() -> None:
    assert encode(count=["a", "b"], value=["x", "y"]).names == ("count=a", "count=b", "value=x", "value=y")


def test_blocks_stand_beside_one_another() -> None:
    found = encode(size=[0, 1], kind=["a", "b"])
    assert found.matrix.toarray().tolist() == [[-1, 1, 0], [1, 0, 1]]
    assert found.matrix.dtype == np.float32


@pytest.mark.parametrize("value", [float("inf"), "inf", "-Infinity"])
def test_infinite_numbers_are_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"row 2: size is .*; numbers must be finite, or empty where unknown"):
        encode(size=[1, value] if isinstance(value, float) else ["1", value])


def test_a_word_among_numbers_is_refused_where_numbers_were_asked_for() -> None:
    with pytest.raises(InputError, match="row 2: size is 'big'"):
        encode({"size": "number"}, size=["1", "big"])


def test_a_table_without_anything_usable_is_refused() -> None:
    with pytest.raises(InputError, match=r"no usable attributes: empty \(ignore\)"):
        encode(empty=[None, None])


def test_kinds_are_judged() -> None:
    with pytest.raises(
        ParameterError, match=r"no node column is called 'sise'; did you mean 'size'\? \(there are size"
    ):
        encode({"sise": "number"}, size=[1])
    with pytest.raises(UnknownNameError, match="Did you mean 'number'"):
        encode({"size": "numbr"}, size=[1])
    with pytest.raises(ParameterError, match="can only be ignored"):
        encode({"tags": "category"}, tags=[["x"]])
