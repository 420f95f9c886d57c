"""Small valid files of every format that `pulink.read` knows: what the torture starts from."""

from __future__ import annotations

import datetime
import gzip
import io
from random import Random

import numpy as np
import polars as pl
import scipy.sparse as sp

NAMES = (
    "ann",
    "Zürich",
    "New York",
    "东京",
    "n-1",
    "0",
    "17",
    "007",
    "9007199254740993",
    "a.b",
    "x_y",
    "Ωmega",
    "z",
)
_COMPRESSIONS = ("uncompressed", "snappy", "zstd", "gzip", "lz4", "brotli")


def edge_text(rng: Random, separator: str) -> bytes:
    """An edge list with names or whole numbers, with a header and weights or without."""
    numbers = rng.random() < 0.4
    n_rows = rng.choice([1, 2, 10, 40])
    rows = [[_name(rng, numbers), _name(rng, numbers)] for _ in range(n_rows)]
    if weighted := rng.random() < 0.3:
        rows = [[*row, f"{rng.uniform(0.1, 9):.3g}"] for row in rows]
    if rng.random() < 0.5:
        rows.insert(0, ["source", "target", "weight"][: 2 + weighted])
    quoted = rng.random() < 0.2 or separator == " "
    end = rng.choice(["\n", "\n", "\r\n"])
    comment = "# made for torture\n" if rng.random() < 0.1 else ""
    return (comment + "".join(separator.join(_cell(c, quoted) for c in row) + end for row in rows)).encode()


def node_text(rng: Random) -> bytes:
    """A node table for `edge_text`'s names: numbers, categories, text, gaps."""
    rows = [f'{name},{rng.uniform(-5, 5):.4g},{rng.choice("abc")},"{_words(rng)}",{rng.choice(["1", "", "NA"])}'
            for name in (*NAMES, *range(20)) if rng.random() < 0.8]  # fmt: skip
    unique = {row.partition(",")[0]: row for row in rows}
    return ("id,size,kind,title,gaps\n" + "\n".join(unique.values()) + "\n").encode()


def edge_parquet(rng: Random) -> bytes:
    n_rows = rng.choice([1, 5, 50, 400])
    numbers = rng.random() < 0.5
    ends = {
        side: [int(_name(rng, True)) if numbers else _name(rng, False) for _ in range(n_rows)]
        for side in ("source", "target")
    }
    frame = pl.DataFrame(ends)
    if rng.random() < 0.4:
        frame = frame.with_columns(weight=pl.Series([rng.uniform(0.1, 5) for _ in range(n_rows)]))
    if rng.random() < 0.2 and not numbers:
        frame = frame.cast({"source": pl.Categorical})
    return _parquet(frame, rng)


def node_parquet(rng: Random) -> bytes:
    """A column of almost every type."""
    names = [*NAMES, *map(str, range(20))]
    names = list(dict.fromkeys(names))
    n = len(names)
    day = datetime.date(2020, 1, 1)
    columns: dict[str, object] = {
        "id": names,
        "size": [rng.choice([1.5, float(k), float("nan"), None]) for k in range(n)],
        "whole": list(range(n)),
        "day": [day + datetime.timedelta(days=k) for k in range(n)],
        "truth": [k % 2 == 0 for k in range(n)],
        "list": [[k] for k in range(n)],
        "part": [{"a": k} for k in range(n)],
        "title": [_words(rng) for _ in range(n)],
        "bytes": [b"x"] * n,
        "nothing": [None] * n,
    }
    chosen = rng.sample(list(columns)[1:], rng.randrange(1, 6))
    return _parquet(pl.DataFrame({name: columns[name] for name in ("id", *chosen)}, strict=False), rng)


def graph_arrays(rng: Random) -> dict[str, np.ndarray]:
    """What `pulink.write_npz` writes, with features dense, sparse or none."""
    n_nodes, n_edges = rng.choice([2, 5, 30]), rng.choice([0, 1, 40])
    arrays = {
        "num_nodes": np.array(n_nodes),
        "edge_index": np.array([[rng.randrange(n_nodes) for _ in range(n_edges)] for _ in range(2)], dtype=int),
    }
    kind = rng.choice(["dense", "sparse", "none"])
    dense = np.array([[float(rng.random() < 0.3) for _ in range(4)] for _ in range(n_nodes)])
    if kind == "dense":
        arrays["x"] = dense
    if kind == "sparse":
        matrix = sp.csr_array(dense)
        arrays |= {"x_data": matrix.data, "x_indices": matrix.indices, "x_indptr": matrix.indptr}
        arrays["x_shape"] = np.array(matrix.shape)
    return arrays


def matrix_arrays(rng: Random) -> dict[str, np.ndarray]:
    """What `scipy.sparse.save_npz` writes."""
    dense = np.array([[float(rng.random() < 0.3) for _ in range(3)] for _ in range(20)])
    matrix = sp.csr_array(dense).asformat(rng.choice(["csr", "csc", "coo", "dia", "bsr"]))
    buffer = io.BytesIO()
    sp.save_npz(buffer, matrix)
    with np.load(io.BytesIO(buffer.getvalue())) as archive:
        return dict(archive.items())


def graphml(rng: Random) -> bytes:
    keys = '<key id="d0" for="node" attr.name="size"><default>5</default></key>'
    keys += '<key id="d1" for="edge" attr.name="weight"/>'
    nodes = "".join(
        f'<node id="{name}">'
        + (f'<data key="d0">{rng.uniform(0, 9):.3g}</data>' * (rng.random() < 0.5))
        + "</node>\n"
        for name in NAMES
    )
    edges = "".join(
        f'<edge source="{rng.choice(NAMES)}" target="{rng.choice(NAMES)}">'
        + ('<data key="d1">2.5</data>' * (rng.random() < 0.3))
        + "</edge>\n"
        for _ in range(rng.choice([1, 5, 30]))
    )
    body = (
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}\n<graph>\n{nodes}{edges}</graph></graphml>'
    )
    encoding = rng.choice(["utf-8", "utf-8", "utf-16"])
    return f'<?xml version="1.0" encoding="{encoding}"?>\n{body}'.encode(encoding)


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _name(rng: Random, number: bool) -> str:
    return str(rng.randrange(20)) if number else rng.choice(NAMES)


def _cell(text: str, quoted: bool) -> str:
    return f'"{text}"' if quoted else text


def _words(rng: Random) -> str:
    return " ".join(rng.choices(["graph", "neural", "missing", "link", "été"], k=rng.randrange(1, 5)))


def _parquet(frame: pl.DataFrame, rng: Random) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression=rng.choice(_COMPRESSIONS))  # type: ignore[arg-type]
    return buffer.getvalue()
