"""TF-IDF of short texts, as scikit-learn has it (`tests/data/columns/test_words.py`), without loading it.

Loading scikit-learn, with pandas and scipy.stats where they are installed, took longer than reading a small graph.

    rarity of a word     log((1 + n) / (1 + texts that have it)) + 1
    cell                 count of the word in the text, times its rarity; rows of length 1
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

WORD = r"(?u)\b\w[\w:+.#-]*\b"
_MAX_WORDS = 20_000

_FIND = re.compile(WORD).findall


def words_of(text: str) -> list[str]:
    """In small letters, in the order of the text."""
    return _FIND(text.lower())


def frequent_words(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.float32]]:
    """The words that stand most often in all texts together, sorted, and the rarity of each."""
    counts: Counter[str] = Counter()
    n_texts: Counter[str] = Counter()
    for text in texts:
        found = words_of(text)
        counts.update(found)
        n_texts.update(set(found))
    # Of words that stand equally often, those that come first in the alphabet.
    words = sorted(sorted(counts, key=lambda word: (-counts[word], word))[:_MAX_WORDS])
    having = np.array([n_texts[word] for word in words], dtype=np.float32)
    return words, np.log(np.float32(len(texts) + 1) / (having + 1)) + np.float32(1)


def weighed_words(texts: Sequence[str], words: Sequence[str], rarity: npt.NDArray[np.float32]) -> sp.csr_array:
    """A row for each text, a column for each word; other words count for nothing."""
    column = {word: place for place, word in enumerate(words)}
    indices: list[int] = []
    counts: list[int] = []
    indptr = [0]
    for text in texts:
        known = Counter(column[word] for word in words_of(text) if word in column)
        indices += sorted(known)
        counts += [known[place] for place in sorted(known)]
        indptr.append(len(indices))
    places = np.array(indices, dtype=np.int32)
    data = np.array(counts, dtype=np.float32) * rarity[places]
    rows = np.repeat(np.arange(len(texts)), np.diff(indptr))
    lengths = np.sqrt(np.bincount(rows, (data * data).astype(np.float64), len(texts)))
    data = (data / lengths[rows]).astype(np.float32)
    return sp.csr_array((data, places, np.array(indptr, dtype=np.int32)), shape=(len(texts), len(words)))
