"""No code of the package reads anything that could run: a check of every file, and a check of the check."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pulink
from tests.support.banned import ATTRIBUTES, violations

SOURCE = Path(__file__).parent.parent / "src" / "pulink"

# {file: {statement: why nothing but what is meant can be reached by it}}.
ALLOWED = {
    "__init__.py": {
        "value = getattr(import_module(home), name)": "home is one of _homes, modules of pulink, tested below",
        "return value": "what the lines above found: public names, and two modules of pulink that are named there",
        "globals()[name] = value": "keeps what the lines above found; name is a public one",
    },
    "distributed/group/group.py": {
        "import torch.distributed as dist": "used in the places below: workers tell each other tensors",
        "self.is_alone = not dist.is_initialized()": "whether this process has joined others",
        "self.rank = 0 if self.is_alone else dist.get_rank()": "which one it is",
        "self.size = 1 if self.is_alone else dist.get_world_size()": "of how many",
        "self._leaders = None if self.is_alone else dist.new_group(first)": "the first workers of all machines",
        "dist.barrier()": "waits for the others",
        "dist.all_gather(all_of_them, mine)": "bytes of all workers into tensors of a known length",
        "dist.all_reduce(total)": "adds whole numbers",
        "waiting.append(dist.irecv(theirs, self._machines[source][0], group=self._leaders))": "fills a tensor",
        "waiting.append(dist.isend(mine, self._machines[to][0], group=self._leaders))": "sends one",
    },
    "distributed/group/rank.py": {
        "import torch.distributed as dist": "used in the places below: joins and leaves",
        "if dist.is_initialized():\n    dist.destroy_process_group()": "leaves the workers of an earlier job",
        "place = dist.FileStore(store, size)": "a file in which workers leave the addresses that they listen on",
        "dist.init_process_group('gloo', store=place, rank=rank, world_size=size, timeout=PATIENCE)": "joins",
        "dist.init_process_group('gloo', timeout=PATIENCE)": "joins those that torchrun started",
        "dist.destroy_process_group()": "leaves",
    },
    "distributed/on_ray/driver.py": {
        "import ray": "the one file whose values Ray pickles: texts, bytes of our own formats, and the names "
        "of functions; used in the places below",
        "ray.shutdown()": "leaves a cluster",
        "ray.init(address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)": "joins a "
        "cluster of loopback, or one that asks for a token",
        "found: str = ray.get_runtime_context().gcs_address": "where its head is",
        "self._ray = ray": "used in this class alone",
        "self._make = ray.remote(_make)": "a function of this module, shipped by its name",
        "self._refused = ray.exceptions.RayError": "a class of errors",
        "done, _ = self._ray.wait([*self._running], num_returns=1, timeout=_LOOK)": "which pieces are made",
        "from ray.train import FailureConfig, RunConfig, ScalingConfig": "numbers and names, told below",
        "from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer": "used in the one place below",
        "size = ScalingConfig(num_workers=question['size'], resources_per_worker=resources)": "numbers",
        "once = FailureConfig(max_failures=0, controller_failure_limit=0)": "numbers",
        "run = RunConfig(name=attempt, storage_path=str(folder / _TRAIN_FILES), failure_config=once)": "names",
        "trainer = DataParallelTrainer(_rank, train_loop_config=asked, scaling_config=size, run_config=run)": "a "
        "function of this module, and three texts",
        "self._stored[key] = self._ray.put(packed)": "bytes of a graph or a table, in our own format",
        "plain, content = self._ray.get(reference)": "what _make returned: JSON, and bytes of a checkpoint",
        "seen = self._ray.nodes()": "what the cluster says of its nodes",
        "from ray.train import get_context": "used in the one place below",
        "place = get_context()": "which worker of how many this is",
        "folder, own = (Path(told['folder']), ray.util.get_node_ip_address())": "an address",
    },
    "distributed/task.py": {
        "found = vars(import_module(home)).get(name)": "home is one of HOMES, all modules of pulink",
    },
    "methods/plugins.py": {
        "from importlib.metadata import entry_points": "used in the one place below",
        "found = [_described(entry) for entry in entry_points(group=GROUP)]": "what installed packages say of "
        "themselves; nothing that a user hands over, and no folder of a model, decides what is imported",
    },
    "methods/pull_plus/scoring/lightgbm_library.py": {
        "import importlib.util": "used in the one place below",
        "found = importlib.util.find_spec('lightgbm')": "where a package lies whose name is written here",
    },
    "methods/registry.py": {
        "return getattr(import_module(f'pulink.methods.{module}'), name)": "stays within pulink.methods",
    },
    "predictor/scikit_learn/estimator.py": {
        "library = sys.modules.get('sklearn')": "looks whether it is loaded, and imports nothing",
    },
    "system/parquet_trial.py": {
        "return _tried(pl, data, n_bytes, kind, map(int, rest))": "its parameter is named pl too, so that its use "
        "is seen",
        "return _tried_file(pl, rest[1], rest[2:], int(rest[0]))": "so is this one's",
    },
}

BANNED = {
    "modules": [
        "import pickle",
        "import pickle as p",
        "from pickle import loads",
        "import os, marshal",
        "import shelve as s",
        "def f():\n    import dill",
        "from yaml import load as l",
        "import ruamel.yaml\nruamel.yaml.YAML(typ='unsafe')",
        "import joblib",
        "from joblib import load",
        "from sklearn.utils import _joblib",
        "import runpy\nrunpy.run_path('x')",
        "import pkgutil\npkgutil.resolve_name('pickle:loads')(b'')",
        "from multiprocessing.connection import Client\nClient('x').recv()",
        "import multiprocessing as m\nm.connection.Client('x').recv()",
        "from concurrent.futures import ProcessPoolExecutor",
    ],
    "ray": ["import ray", "import ray as r\nr.get(x)", "from ray import put", "def f():\n    import ray.data"],
    "torch": [
        "import torch\ntorch.load('x')",
        "import torch as t\nt.load('x', weights_only=False)",
        "from torch import load as l",
        "import torch\nload = torch.load\nload('x')",
        "import torch\nf = [torch.load]",
        "import torch.serialization",
        "from torch import hub",
        "import torch\ntorch.jit.load('x')",
        "import torch\ntorch.export.load('x')",
        "import torch\ntorch.storage._load_from_bytes(b'')",
        "from torch.export import load",
        "import torch.distributed.checkpoint as c\nc.load({}, checkpoint_id='x')",
        "import torch\ntorch.distributed.checkpoint.load({})",
        "import torch.distributed as dist\ndist.all_gather(x, y)",
        "from torch.distributed import barrier",
        "group.all_gather_object(x, y)",
        "group.broadcast_object_list(x)",
        "getattr(group, 'recv_object_list')(x)",
    ],
    "text that runs": [
        "eval('1')",
        "f = eval",
        "exec('1')",
        "compile('1', '', 'eval')",
        "__import__('pickle')",
        "import builtins\nbuiltins.exec('1')",
        "from builtins import eval as e",
        "import builtins as b\nc = b\nc.eval('1')",
    ],
    "imports by name": [
        "import importlib\nimportlib.import_module('pickle')",
        "from importlib import import_module\nimport_module('pickle')",
        "import importlib\nimportlib.import_module(name='pickle')",
        "import importlib\nimportlib.import_module('pick' + 'le')",
        "import importlib\nimportlib.import_module(f'{x}')",
        "import importlib\nimportlib.import_module('.hub', 'torch')",
        "import importlib\nimportlib.import_module('torch').load('x')",
        "import importlib\nt = importlib.import_module('torch')\nt.load('x')",
        "from importlib import import_module as i\nlist(map(i, ['pickle']))",
        "import importlib\ni = importlib\ni.import_module(name)",
        "import importlib\nimportlib.__import__('pickle')",
        "import importlib.util\nimportlib.util.find_spec('pickle').loader.load_module()",
        "import sys\nsys.modules['pickle'].loads(b'')",
        "from sys import modules",
        "import sys\ns = sys\ns.modules['pickle'].loads(b'')",
        "from torch import *\nload('x')",
        "from torch_geometric.utils import *",
        "from .models import *",
    ],
    "aliases": [
        "import torch\nt = torch\nt.load('x')",
        "import torch\nt = torch\nu = t\nu.load('x')",
        "import torch\ndef f():\n    u = t\n    u.load('x')\nt = torch",
        "import torch\nj = torch.jit\nj.load('x')",
        "import numpy as np\nn = np\nn.load('x', allow_pickle=True)",
        "import torch\nt: object = torch\nt.load('x')",
        "import torch\na, b = torch, 1\na.load('x')",
        "import torch\n(a, *b), c = (torch, 1), 2\na.load('x')",
        "import torch\na = b = torch\na.load('x')",
        "import torch\n(t := torch).load('x')",
        "import torch\nif t := torch:\n    t.load('y')",
        "import torch\ndef f(t=torch):\n    return t.load('x')",
        "import torch\ndef f(a, t=torch):\n    return t.load('x')",
        "import torch\ndef f(*, t=torch):\n    return t.load('x')",
        "import torch\nf = lambda t=torch: t.load('x')",
        "import torch\nfor t in (torch,):\n    t.load('x')",
        "import torch\n(1, torch)[1].load('x')",
        "import torch\n[t.load('x') for t in [torch]]",
        "import torch\nwith torch as t:\n    t.load('x')",
        "import torch\nt = torch if x else None\nt.load('x')",
        "import torch\nt = x or torch\nt.load('x')",
        "import torch\nown = {'t': torch}\nown['t'].load('x')",
        "import torch\nown['t'] = torch\nown['t'].load('x')",
        "import torch\nself.t = torch\nself.t.load('x')",
        "import torch\nclass C:\n    t = torch\n    def f(self):\n        self.t.load('x')",
        "import json as t, torch\ndef f():\n    t = torch\n    t.load('x')",
    ],
    "modules out of sight": [
        "import torch\ndef f():\n    return torch\nf().load('x')",
        "import torch\ndef f():\n    yield torch",
        "import torch\n(lambda: torch)().load('x')",
        "import torch\ndef f(t):\n    t.load('x')\nf(torch)",
        "import torch\nf(t=torch)",
        "import torch\nf([torch])",
        "from torch import jit\nf(jit)",
        "import torch\n{'t': torch}.get('t').load('x')",
        "import torch\n[torch].pop().load('x')",
        "import torch\n[torch for _ in range(2)].pop().load('x')",
        "import torch\nmatch torch:\n    case t:\n        t.load('x')",
    ],
    "lookups": [
        "import torch\ngetattr(torch, 'load')('x')",
        "import torch\nn = 'load'\ngetattr(torch, n)('x')",
        "import torch\ngetattr(torch, 'lo' + 'ad')('x')",
        "import torch\ngetattr(getattr(torch, 'jit'), 'load')('x')",
        "import torch\nt = torch\ngetattr(t, name)('x')",
        "from functools import partial\nimport torch\npartial(getattr, torch)('load')('x')",
        "import builtins, torch\nbuiltins.getattr(torch, name)('x')",
        "getattr(frame, 'read_pickle')('x')",
        "import torch\nvars(torch)['load']('x')",
        "vars()['torch'].load('x')",
        "import torch\ntorch.__dict__['load']('x')",
        "import torch\nt = torch\nt.__dict__['load']('x')",
        "import torch\ngetattr(torch, '__dict__')['load']('x')",
        "import torch\ntorch.__getattribute__('load')('x')",
        "globals()['torch'].load('x')",
        "f.__globals__['torch'].load('x')",
        "import operator, torch\noperator.attrgetter('load')(torch)('x')",
        "from operator import attrgetter as a",
        "import operator, torch\noperator.methodcaller('load', 'x')(torch)",
    ],
    "numpy": [
        "import numpy as np\nnp.load('x')",
        "import numpy as np\nnp.load('x', allow_pickle=True)",
        "import numpy as np\nnp.load('x', allow_pickle=flag)",
        "import numpy as np\nnp.load('x', allow_pickle=0)",
        "import numpy as np\nnp.load('x', **{'allow_pickle': True})",
        "from numpy import load as l\nl('x')",
        "import numpy as np\nfrom functools import partial\nf = partial(np.load, allow_pickle=True)",
        "import numpy as np\nfrom functools import partial\nf = partial(np.load, allow_pickle=False)",
        "import numpy as np\n[np.load][0]('x', allow_pickle=True)",
        "import numpy as np\nload = [np.load][0]\nload('x')",
        "import numpy as np\nload = np.load\nload('x')",
        "import numpy as np\ngetattr(np, 'load')('x')",
        "from numpy.lib._npyio_impl import load\nload('x', allow_pickle=True)",
        "import numpy as np\nnp.fromfile('x')",
        "import numpy\nnumpy.lib.format.read_array(f)",
        "import numpy\nnumpy.lib.format.write_array(f, a, allow_pickle=True)",
    ],
    "other loaders": [
        "import pandas as pd\npd.read_pickle('x')",
        "import pandas as pd\npd.HDFStore('x')",
        "frame.read_pickle('x')",
        "import lightgbm\nlightgbm.Booster(model_file='x')",
        "from lightgbm import Booster as B",
        "from torch_geometric.data import InMemoryDataset",
        "import torch_geometric.data as d",
        "from torch_geometric import datasets",
        "from torch_geometric.io import fs",
        "fs.torch_load('x')",
        "import polars as pl\npl.LazyFrame.deserialize('x')",
        "import polars as pl\nexpr = pl.col('x')\nexpr.deserialize('f')",
    ],
}

HARMLESS = [
    "import torch\ntorch.from_numpy(x)",
    "import numpy as np\nnp.load('x', allow_pickle=False)",
    "from numpy import load as l\nl('x', allow_pickle=False)",
    "import numpy as np\nn = np\nn.load('x', allow_pickle=False)",
    "import numpy as np\nnp.savez(f, allow_pickle=False, **arrays)",
    "import scipy.sparse as sp\nsp.load_npz('x')",
    "import json\njson.load(f)",
    "from safetensors.numpy import load_file, save",
    "model.eval()",
    "import re\nre.compile('x')",
    "from pulink.engine.compile import kernel",
    "from torch_geometric.data import Data",
    "from torch_geometric.utils import to_undirected",
    "model.load('folder')",
    "import tomllib\ntomllib.load(f)",
    "import torch\nt = torch\nt.zeros(3)",
    "import torch\na, b = torch, model\nb.load('folder')",
    "import torch\nisinstance(x, torch.Tensor)",
    "import torch\ndef f(kind=torch.float32):\n    return kind",
    "import torch\nhasattr(torch, 'compile')",
    "import torch\ngetattr(torch, 'float32')",
    "getattr(self, name)",
    "node = node.parent",
    "vars(self)",
    "self.__dict__",
    "import importlib\nimportlib.import_module('json')",
    "from importlib.metadata import version",
    "from importlib.resources import files",
    "import sys\nsys.stdin.read()",
    "from concurrent.futures import ThreadPoolExecutor",
    "import operator\noperator.itemgetter(1)",
    "import json\nload = json.load\nload(f)",
]


def test_no_file_reads_what_could_run() -> None:
    texts = {str(path.relative_to(SOURCE)): path.read_text() for path in SOURCE.rglob("*.py")}
    found = {name: violations(text, ALLOWED.get(name, {})) for name, text in texts.items()}
    assert len(found) > 100
    assert {name: own for name, own in found.items() if own} == {}


@pytest.mark.parametrize(("file", "statement"), [(file, own) for file in ALLOWED for own in ALLOWED[file]])
def test_what_is_allowed_is_needed(file: str, statement: str) -> None:
    others = set(ALLOWED[file]) - {statement}
    assert violations((SOURCE / file).read_text(), others) != []


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_what_unpickles_is_allowed_nowhere(name: str) -> None:
    """A statement that is allowed is not looked at: it must not call what no statement may call."""
    allowed = [statement for own in ALLOWED.values() for statement in own]
    assert [statement for statement in allowed if f".{name}" in statement or f"import {name}" in statement] == []


def test_names_of_the_package_are_imported_from_the_package() -> None:
    """`home` is assigned once, from `_homes`, and `_homes` takes nothing but the file's own imports of pulink."""
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    assigned = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)]
    assert assigned == ["(home := _homes().get(name))"]
    targets = [target for node in ast.walk(tree) if isinstance(node, ast.Assign) for target in node.targets]
    assert "home" not in {ast.unparse(target) for target in targets}
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    written = {(own.name, node.module) for node in imported for own in node.names}
    assert {home.partition(".")[0] for home in pulink._homes().values()} == {"pulink"}
    assert set(pulink._homes().items()) <= written


@pytest.mark.parametrize("code", [code for own in BANNED.values() for code in own])
def test_the_check_finds(code: str) -> None:
    assert violations(code) != []


@pytest.mark.parametrize("code", HARMLESS)
def test_the_check_lets_pass(code: str) -> None:
    assert violations(code) == []
