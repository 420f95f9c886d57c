"""No code of the package reads anything that could run: a check of every file, and a check of the check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "pulink"

# Modules that read objects back from bytes; nothing in them may be imported.
MODULES = (
    "pickle",
    "_pickle",
    "cPickle",
    "cloudpickle",
    "dill",
    "marshal",
    "shelve",
    "joblib",
    "jsonpickle",
    "yaml",
)
# Names that run text, or read files that can hold code; a name covers all that stands below it.
NAMES = (
    "eval",
    "exec",
    "compile",
    "__import__",
    "builtins.eval",
    "builtins.exec",
    "builtins.compile",
    "torch.load",
    "torch.hub",
    "torch.jit.load",
    "torch.package",
    "torch.serialization",
    "torch.utils.model_zoo",
    "torch.classes.load_library",
    "torch.ops.load_library",
    "numpy.loads",
    "numpy.lib.npyio",
    "numpy.lib.format.read_array",
    "numpy.lib.format.open_memmap",
    "pandas.read_pickle",
    "pandas.read_hdf",
    "pandas.eval",
    "polars.Expr.deserialize",
    "polars.LazyFrame.deserialize",
    "polars.DataFrame.deserialize",
    "scipy.io.loadmat",
    "lightgbm.Booster",
    "networkx.read_gpickle",
    "torch_geometric.data",
    "torch_geometric.datasets",
    "torch_geometric.io",
    "torch_geometric.graphgym",
)
# The one class of a banned module that is a mere container.
CONTAINERS = ("torch_geometric.data.Data",)
# Allowed only where nothing can be unpickled.
NUMPY_LOADERS = ("numpy.load", "numpy.lib.npyio.load", "numpy.fromfile", "numpy.memmap")
# Methods that unpickle, whatever they are called on.
METHODS = ("read_pickle", "torch_load", "load_state_dict_from_url", "unsafe_load", "full_load")


def violations(code: str) -> list[str]:
    """What a file uses that is banned, as `line: name`."""
    tree = ast.parse(code)
    known = _imports(tree)
    return sorted({f"{line}: {name}" for line, name in _used(tree, known)})


def _imports(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for: {"np": "numpy", "l": "torch.load"}."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for own in node.names:
                known[own.asname or own.name.partition(".")[0]] = (
                    own.name if own.asname else own.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            known |= {own.asname or own.name: f"{node.module}.{own.name}" for own in node.names}
    for node in ast.walk(tree):
        # One more name for the same thing: load = torch.load.
        if isinstance(node, ast.Assign) and (name := _dotted(node.value, known)) and "." in name:
            known |= {target.id: name for target in node.targets if isinstance(target, ast.Name)}
    return known


def _used(tree: ast.AST, known: dict[str, str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((line, name) for name in _imported(node) if _is_banned(name))
        elif isinstance(node, ast.Name | ast.Attribute):
            name = _dotted(node, known)
            if name and _is_banned(name):
                yield line, name
            elif isinstance(node, ast.Attribute) and node.attr in METHODS:
                yield line, node.attr
        if isinstance(node, ast.Call):
            yield from _called(node, known)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [own.name for own in node.names]
    return [f"{node.module}.{own.name}" for own in node.names] if node.module and not node.level else []


def _called(node: ast.Call, known: dict[str, str]) -> Iterator[tuple[int, str]]:
    name = _dotted(node.func, known) or ""
    if name in NUMPY_LOADERS and not _says_no_pickle(node):
        yield node.lineno, name
    if name.startswith("numpy") and _allows_pickle(node):
        yield node.lineno, f"{name}(allow_pickle=True)"
    text = node.args[1] if name == "getattr" and len(node.args) > 1 else None
    if (
        isinstance(text, ast.Constant)
        and (whole := f"{_dotted(node.args[0], known)}.{text.value}")
        and _is_banned(whole)
    ):
        yield node.lineno, whole
    first = node.args[0] if node.args else None
    named = str(first.value) if isinstance(first, ast.Constant) else ""
    if name == "importlib.import_module" and _is_banned(named):
        yield node.lineno, named


def _says_no_pickle(node: ast.Call) -> bool:
    return any(_is_keyword(own, False) for own in node.keywords)


def _allows_pickle(node: ast.Call) -> bool:
    return any(own.arg == "allow_pickle" and not _is_keyword(own, False) for own in node.keywords)


def _is_keyword(own: ast.keyword, value: bool) -> bool:
    return own.arg == "allow_pickle" and isinstance(own.value, ast.Constant) and own.value.value is value


def _dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    """torch.load of `t.load` where t was imported; None of what is no name."""
    if isinstance(node, ast.Name):
        return known.get(node.id, node.id)
    if isinstance(node, ast.Attribute) and (above := _dotted(node.value, known)):
        return f"{above}.{node.attr}"
    return None


def _is_banned(name: str) -> bool:
    if name in CONTAINERS:
        return False
    return name.partition(".")[0] in MODULES or any(name == own or name.startswith(f"{own}.") for own in NAMES)


def test_no_file_reads_what_could_run() -> None:
    found = {path.relative_to(SOURCE): violations(path.read_text()) for path in SOURCE.rglob("*.py")}
    assert len(found) > 100
    assert {path: own for path, own in found.items() if own} == {}


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "import pickle as p",
        "from pickle import loads",
        "import os, marshal",
        "import shelve as s",
        "def f():\n    import dill",
        "from yaml import load as l",
        "import joblib",
        "from joblib import load",
        "import torch\ntorch.load('x')",
        "import torch as t\nt.load('x', weights_only=False)",
        "from torch import load as l",
        "import torch\nload = torch.load\nload('x')",
        "import torch\nf = [torch.load]",
        "import torch\ngetattr(torch, 'load')('x')",
        "import torch.serialization",
        "from torch import hub",
        "import torch\ntorch.jit.load('x')",
        "eval('1')",
        "f = eval",
        "exec('1')",
        "compile('1', '', 'eval')",
        "__import__('pickle')",
        "import builtins\nbuiltins.exec('1')",
        "import importlib\nimportlib.import_module('pickle')",
        "from importlib import import_module\nimport_module('pickle')",
        "import numpy as np\nnp.load('x')",
        "import numpy as np\nnp.load('x', allow_pickle=True)",
        "import numpy as np\nnp.load('x', allow_pickle=flag)",
        "from numpy import load as l\nl('x')",
        "import numpy\nnumpy.lib.format.read_array(f)",
        "import numpy\nnumpy.lib.format.write_array(f, a, allow_pickle=True)",
        "import pandas as pd\npd.read_pickle('x')",
        "frame.read_pickle('x')",
        "import lightgbm\nlightgbm.Booster(model_file='x')",
        "from lightgbm import Booster as B",
        "from torch_geometric.data import InMemoryDataset",
        "import torch_geometric.data as d",
        "from torch_geometric import datasets",
        "from torch_geometric.io import fs",
        "fs.torch_load('x')",
        "import polars as pl\npl.LazyFrame.deserialize('x')",
    ],
)
def test_the_check_finds(code: str) -> None:
    assert violations(code) != []


@pytest.mark.parametrize(
    "code",
    [
        "import torch\ntorch.from_numpy(x)",
        "import numpy as np\nnp.load('x', allow_pickle=False)",
        "import json\njson.load(f)",
        "from safetensors.numpy import load_file, save",
        "model.eval()",
        "import re\nre.compile('x')",
        "from pulink.engine.compile import kernel",
        "from torch_geometric.data import Data",
        "from torch_geometric.utils import to_undirected",
        "model.load('folder')",
        "import tomllib\ntomllib.load(f)",
    ],
)
def test_the_check_lets_pass(code: str) -> None:
    assert violations(code) == []
