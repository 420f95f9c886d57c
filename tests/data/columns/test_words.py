"""Weighed words: by hand, and equal to scikit-learn's to the bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from pulink.data.columns import words
from pulink.data.columns.words import WORD, frequent_words, weighed_words, words_of

TEXT = st.text(alphabet="abAB é1_:+.#- \n", max_size=30)


def test_words_by_hand() -> None:
    assert words_of("Lib:foo-1.2, C++ and C#; ÉTÉ (x)") == ["lib:foo-1.2", "c", "and", "c", "été", "x"]
    found, rarity = frequent_words(["b a a", "b"])
    assert found == ["a", "b"]
    assert rarity.tolist() == pytest.approx([math.log(3 / 2) + 1, 1.0])
    table = weighed_words(["b a a", "c", "b"], found, rarity).toarray()
    a, b = 2 * (math.log(3 / 2) + 1), 1.0
    assert table[0] == pytest.approx([a / math.hypot(a, b), b / math.hypot(a, b)])
    assert table[1:].tolist() == [[0, 0], [0, 1]]


@settings(max_examples=60)
@given(st.lists(TEXT, min_size=1, max_size=12), st.lists(TEXT, max_size=5))
def test_equal_to_scikit_learn(texts: list[str], later: list[str]) -> None:
    found, rarity = frequent_words(texts)
    if not found:
        assert not len(rarity)
        return
    theirs = TfidfVectorizer(token_pattern=WORD, dtype=np.float32).fit(texts)
    assert found == theirs.get_feature_names_out().tolist()
    assert np.array_equal(rarity, theirs.idf_)
    for some in (texts, later):
        if some:
            ours, expected = weighed_words(some, found, rarity), theirs.transform(some)
            assert np.array_equal(ours.indices, expected.indices)
            assert np.array_equal(ours.indptr, expected.indptr)
            assert np.array_equal(ours.data, expected.data)


def test_the_most_frequent_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_MAX_WORDS", 2)
    assert frequent_words(["c c a b", "b"])[0] == ["b", "c"]
    assert frequent_words(["d c b a"])[0] == ["a", "b"]
