"""What may happen to a model folder: by accident, or by somebody who writes checksums that fit.

A damage changes the files of a folder, {name: bytes}, by random numbers; all of it is decided by a seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

Files = dict[str, bytes]
Random = np.random.Generator
Damage = Callable[[Files, Files, Random], None]

_MANIFEST = "manifest.json"
_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 3, 10**9, 10**30, -0.5, 1e308, "", "x", "../../etc/passwd", "\x1b[2J\nx", [], [[]], {},
    [1, "a"], {"__class__": "os.system"}, "9" * 400,
)  # fmt: skip
_KINDS = (np.int8, np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64, np.bool_)


def flip(files: Files, _: Files, random: Random) -> None:
    """One byte to eight of one file."""
    name = _chosen(files, random)
    content = bytearray(files[name])
    for place in random.integers(0, len(content), random.integers(1, 9)):
        content[place] ^= int(random.integers(1, 256))
    files[name] = bytes(content)


def truncate(files: Files, _: Files, random: Random) -> None:
    name = _chosen(files, random)
    files[name] = files[name][: int(random.integers(0, len(files[name])))]


def extend(files: Files, _: Files, random: Random) -> None:
    files[_chosen(files, random)] += random.bytes(int(random.integers(1, 100)))


def cut_out(files: Files, _: Files, random: Random) -> None:
    name = _chosen(files, random)
    start, end = sorted(int(place) for place in random.integers(0, len(files[name]) + 1, 2))
    files[name] = files[name][:start] + files[name][end:]


def delete(files: Files, _: Files, random: Random) -> None:
    del files[_chosen(files, random)]


def swap(files: Files, other: Files, random: Random) -> None:
    """One file of another model, which may lack it."""
    name = _chosen(files, random)
    if name in other:
        files[name] = other[name]
    else:
        del files[name]


def mix_up(files: Files, _: Files, random: Random) -> None:
    """Two files under each other's names."""
    one, two = random.choice(sorted(files), 2, replace=False)
    files[str(one)], files[str(two)] = files[str(two)], files[str(one)]


def add(files: Files, _: Files, random: Random) -> None:
    files[str(random.choice(["model.pkl", "tensors.safetensors.bak", "extra.json", "__init__.py"]))] = b"\x80\x04."


def lie_about_version(files: Files, _: Files, random: Random) -> None:
    manifest = json.loads(files[_MANIFEST])
    manifest["format"] = [0, 1, 2, 4, 99, "3", None, -3, 3.5][int(random.integers(9))]
    files[_MANIFEST] = json.dumps(manifest).encode()


ACCIDENTS: tuple[Damage, ...] = (
    flip, flip, flip, flip, truncate, truncate, truncate, extend, cut_out, delete, swap, mix_up, add,
    lie_about_version,
)  # fmt: skip


def change_value(files: Files, _: Files, random: Random) -> None:
    """Any value of the JSON becomes any other."""
    content = json.loads(files["model.json"])
    places = list(_places(content))
    for _k in range(int(random.integers(1, 4))):
        holder, key = places[int(random.integers(len(places)))]
        holder[key] = _VALUES[int(random.integers(len(_VALUES)))]
    files["model.json"] = json.dumps(content).encode()


def remove_value(files: Files, _: Files, random: Random) -> None:
    content = json.loads(files["model.json"])
    holder, key = list(_places(content))[int(random.integers(len(list(_places(content)))))]
    del holder[key]
    files["model.json"] = json.dumps(content).encode()


def change_array(files: Files, _: Files, random: Random) -> None:
    """Another shape, kind or content for one array to three."""
    arrays = load(files["tensors.safetensors"])
    for _k in range(int(random.integers(1, 4))):
        name = str(random.choice(sorted(arrays)))
        arrays[name] = np.ascontiguousarray(_other(arrays[name], random))
    files["tensors.safetensors"] = save(arrays)


def remove_array(files: Files, _: Files, random: Random) -> None:
    arrays = load(files["tensors.safetensors"])
    del arrays[str(random.choice(sorted(arrays)))]
    files["tensors.safetensors"] = save(arrays)


def lie_in_header(files: Files, _: Files, random: Random) -> None:
    """Sizes, kinds and places that the bytes do not have."""
    content = files["tensors.safetensors"]
    n = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + n])
    tensor = header[str(random.choice(sorted(header)))]
    key = str(random.choice(["shape", "dtype", "data_offsets"]))
    choices: dict[str, list[Any]] = {
        "shape": [[2**40, 2**40], [2**62], [-1], [], [0, 2**60], "x", [1.5]],
        "dtype": ["F64", "BF16", "F8_E4M3", "I8", "object", "O", "BOOL"],
        "data_offsets": [[0, 2**60], [8, 0], [-8, 8], [0, 0], [1]],
    }
    tensor[key] = choices[key][int(random.integers(len(choices[key])))]
    encoded = json.dumps(header).encode()
    size = len(encoded) if random.random() < 0.8 else int(random.choice([0, 2**31, 2**63 - 1]))
    files["tensors.safetensors"] = size.to_bytes(8, "little") + encoded + content[8 + n :]


def nest_deeply(files: Files, _: Files, random: Random) -> None:
    depth = int(random.choice([1_000, 100_000]))
    files[str(random.choice(["model.json", "recipe.json"]))] = b'{"a":' + b"[" * depth + b"]" * depth + b"}"


MALICE: tuple[Damage, ...] = (
    flip, flip, truncate, swap, mix_up, cut_out, change_value, change_value, change_value, remove_value,
    change_array, change_array, change_array, change_array, remove_array, lie_in_header, lie_in_header,
    nest_deeply,
)  # fmt: skip


def sealed(files: Files) -> None:
    """Checksums that fit, as somebody would write who means harm."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != _MANIFEST}
    files[_MANIFEST] = json.dumps({"format": 3, "sha256": sums}).encode()


def damaged(files: Files, other: Files, damages: tuple[Damage, ...], random: Random) -> tuple[Files, str]:
    """Changed files, and what was done."""
    changed = dict(files)
    done = damages[int(random.integers(len(damages)))]
    try:
        done(changed, other, random)
    except (SafetensorError, ValueError, KeyError):
        flip(changed, other, random)
    return changed, done.__name__


def _chosen(files: Files, random: Random) -> str:
    return str(random.choice([name for name in sorted(files) if files[name]]))


def _places(value: Any) -> Any:
    """Every place of a JSON value that can be set, outermost first."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _other(array: np.ndarray, random: Random) -> np.ndarray:
    way = int(random.integers(10))
    if way == 0:
        return array[: len(array) // 2]
    if way == 1:
        return array[:-1]
    if way == 2:
        return np.concatenate([array, array])
    if way == 3:
        return array.reshape(-1)
    if way == 4:
        return array.T
    if way == 5:
        return array[:0]
    if way == 6:
        return array.astype(_KINDS[int(random.integers(len(_KINDS)))])
    if way == 7:
        return np.full_like(array, np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.nan)
    if way == 8:
        return np.frombuffer(random.bytes(array.nbytes), array.dtype).reshape(array.shape)
    return array[..., None]
