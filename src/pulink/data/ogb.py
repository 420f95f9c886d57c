"""Node-property datasets as OGB publishes them: raw/edge.csv.gz, node-feat.csv.gz, num-node-list.csv.gz."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
import polars as pl

from pulink.errors import InputError
from pulink.graph.graph import Graph


def read_ogb(path: str | Path) -> Graph:
    """From the published .zip, or from the folder that it unpacks to. Edge directions are dropped."""
    found = Path(path)
    edges = _numbers(found, "edge.csv.gz", pl.Int64)
    features = _numbers(found, "node-feat.csv.gz", pl.Float32)
    n_nodes = int(_numbers(found, "num-node-list.csv.gz", pl.Int64)[0, 0])
    return Graph.from_edges(edges, n_nodes, features=features)


def _numbers(path: Path, name: str, dtype: type[pl.DataType]) -> np.ndarray:
    raw = _member(path, name)
    try:
        frame = pl.read_csv(gzip.decompress(raw), has_header=False, infer_schema=False)
        return frame.cast(dtype).to_numpy()
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: raw/{name} cannot be read ({str(error).splitlines()[0]})") from error


def _member(path: Path, name: str) -> bytes:
    if path.is_dir():
        file = path / "raw" / name
        if not file.is_file():
            raise InputError(f"{path}: has no file raw/{name}")
        return file.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            members = [m for m in archive.namelist() if m.endswith(f"raw/{name}")]
            if not members:
                raise InputError(f"{path}: has no file raw/{name}")
            return archive.read(members[0])
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read as a zip archive ({error})") from error
