"""Node-property datasets as OGB publishes them: raw/edge.csv.gz, node-feat.csv.gz, num-node-list.csv.gz."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
import polars as pl

from pulink.data.formats.limits import ARRAY_RATIO, FREE_ARRAYS, check_announced, check_unpacked
from pulink.data.formats.sources import is_packed, unpacked
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.text import reason

_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_ogb(path: str | Path) -> Graph:
    """From the published .zip, or from the folder that it unpacks to. Edge directions are dropped."""
    found = Path(path)
    edges = _numbers(found, "edge.csv.gz", pl.Int64)
    features = _numbers(found, "node-feat.csv.gz", pl.Float32)
    n_nodes = int(_numbers(found, "num-node-list.csv.gz", pl.Int64).ravel()[0])
    check_announced(n_nodes, len(edges), "the number of nodes", str(path))
    try:
        return Graph.from_edges(edges, n_nodes, features=features)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _numbers(path: Path, name: str, dtype: type[pl.DataType]) -> np.ndarray:
    content = unpacked(_member(path, name), f"{path}: raw/{name}")
    if is_packed(content):
        raise InputError(f"{path}: raw/{name} is not text")
    try:
        frame = pl.read_csv(content, has_header=False, infer_schema=False)
        return frame.cast(dtype).to_numpy()
    except (ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{path}: raw/{name} cannot be read ({reason(error)})") from error


def _member(path: Path, name: str) -> bytes:
    if path.is_dir():
        file = path / "raw" / name
        if not file.is_file():
            raise InputError(f"{path}: has no file raw/{name}")
        return file.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(f"raw/{name}")]
            if not members or members[0].compress_type not in _PLAIN:
                raise InputError(f"{path}: has no file raw/{name}")
            size = path.stat().st_size
            with archive.open(members[0]) as stream:
                content = stream.read(FREE_ARRAYS + ARRAY_RATIO * size + 1)
            way_out = "if you trust it, unpack it first"
            check_unpacked(len(content), size, FREE_ARRAYS, ARRAY_RATIO, str(path), way_out)
            return content
    except (OSError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read as a zip archive ({reason(error)})") from error
