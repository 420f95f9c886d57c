"""Which names a file uses that could run what it reads: pickle and its kin, under any alias.

A name stands for what was imported or assigned under it, in any scope, followed until nothing new is found. Where
no name follows a module (an argument, a result, an element) it is refused: what is looked up there is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

# Modules that read objects back from bytes, or import and run by name; nothing in them may be imported.
MODULES = (
    "pickle",
    "_pickle",
    "cPickle",
    "pickletools",
    "cloudpickle",
    "dill",
    "marshal",
    "shelve",
    "joblib",
    "jsonpickle",
    "yaml",
    "ruamel",
    "multiprocessing",
    "runpy",
    "pkgutil",
    "code",
    "codeop",
    "zipimport",
    "_frozen_importlib",
)
# Names that run text, look up by name, or read files that can hold code; a name covers all that stands below it.
NAMES = (
    "eval",
    "exec",
    "compile",
    "globals",
    "locals",
    "__import__",
    "__builtins__",
    "sys.modules",
    "operator.attrgetter",
    "operator.methodcaller",
    "importlib.__import__",
    "importlib.reload",
    "importlib.util",
    "importlib.machinery",
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "importlib.metadata.entry_points",
    "importlib.metadata.EntryPoint",
    "pydoc.locate",
    "concurrent.futures.process",
    "concurrent.futures.ProcessPoolExecutor",
    "torch.load",
    "torch.hub",
    "torch.jit.load",
    "torch.jit._serialization",
    "torch.export.load",
    "torch.package",
    "torch.serialization",
    "torch.storage",
    "torch.distributed",
    "torch.multiprocessing",
    "torch._export",
    "torch._inductor",
    "torch._weights_only_unpickler",
    "torch.utils.model_zoo",
    "torch.utils.cpp_extension",
    "torch.classes.load_library",
    "torch.ops.load_library",
    "numpy.loads",
    "numpy.fromfile",
    "numpy.memmap",
    "numpy.lib.npyio",
    "numpy.lib._npyio_impl",
    "numpy.lib._format_impl",
    "numpy.lib.format.read_array",
    "numpy.lib.format.open_memmap",
    "numpy.ctypeslib.load_library",
    "pandas.read_pickle",
    "pandas.read_hdf",
    "pandas.HDFStore",
    "pandas.eval",
    "pandas.io",
    "scipy.io.loadmat",
    "scipy.io.matlab",
    "sklearn.externals",
    "sklearn.utils._joblib",
    "lightgbm.Booster",
    "networkx.read_gpickle",
    "torch_geometric.data",
    "torch_geometric.datasets",
    "torch_geometric.io",
    "torch_geometric.graphgym",
    "ray",
)
# The one class of a banned module that is a mere container.
CONTAINERS = ("torch_geometric.data.Data",)
# Attributes that unpickle or lead to every name of a module, whatever they are taken from.
ATTRIBUTES = (
    "deserialize",
    "read_pickle",
    "torch_load",
    "load_state_dict_from_url",
    "unsafe_load",
    "full_load",
    "_load_from_bytes",
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
    "exec_module",
    "load_module",
    "__builtins__",
    "__globals__",
    "__loader__",
    "__getattribute__",
    "__subclasses__",
)

Fault = tuple[int, str]


def violations(code: str, allowed: Collection[str] = ()) -> list[str]:
    """What a file uses that is banned, as `line: name`; statements with an allowed text are not looked at."""
    tree = ast.parse(code)
    names = _names(tree)
    nodes = list(_nodes(tree, allowed))
    safe = {id(node.func) for node in nodes if isinstance(node, ast.Call) and _is_safe(node, names)}
    faults = [fault for node in nodes for fault in _faults(node, names, safe)]
    return [f"{line}: {name}" for line, name in sorted(set(faults))]


def _nodes(tree: ast.AST, allowed: Collection[str]) -> Iterator[ast.AST]:
    yield tree
    for node in ast.iter_child_nodes(tree):
        if not (allowed and isinstance(node, ast.stmt) and ast.unparse(node) in allowed):
            yield from _nodes(node, allowed)


def _faults(node: ast.AST, names: Names, safe: Collection[int]) -> Iterator[Fault]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _import_faults(node)
    elif isinstance(node, ast.Name | ast.Attribute | ast.Call):
        yield from ((node.lineno, name) for name in names.of(node) if _is_banned(name))
        yield from ((node.lineno, name) for name in names.of(node) if name in GUARDS and id(node) not in safe)
    if isinstance(node, ast.Attribute):
        yield from _attribute_faults(node, names)
    if isinstance(node, ast.Call) and _allows_pickle(node):
        yield node.lineno, "allow_pickle"
    for value in filter(None, _leaving(node, names)):
        yield from ((value.lineno, f"{name} as a value") for name in names.of(value) if names.is_module(name))


def _import_faults(node: ast.Import | ast.ImportFrom) -> Iterator[Fault]:
    for name in _imported(node):
        if _is_banned(name) or name.endswith("*"):
            yield node.lineno, name


def _attribute_faults(node: ast.Attribute, names: Names) -> Iterator[Fault]:
    if node.attr in ATTRIBUTES:
        yield node.lineno, node.attr
    if node.attr == "__dict__":
        yield from ((node.lineno, f"{own}.__dict__") for own in names.of(node.value) if names.is_module(own))


def _leaving(node: ast.AST, names: Names) -> Sequence[ast.expr | None]:
    """The values that this node hands on; what a guard sees is the guard's to judge."""
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            return [] if names.of(function) & GUARDS.keys() else [*args, *(own.value for own in keywords)]
        case ast.Return(value=value) | ast.Yield(value=value) | ast.Lambda(body=value) | ast.Match(subject=value):
            return [value]
        case ast.List(elts=values, ctx=ast.Load()) | ast.Set(elts=values) | ast.Dict(values=values):
            return values
        case ast.ListComp(elt=value) | ast.SetComp(elt=value) | ast.GeneratorExp(elt=value):
            return [value]
        case ast.DictComp(value=value):
            return [value]
    return []


def _is_banned(name: str) -> bool:
    if name in CONTAINERS:
        return False
    first, _, rest = name.partition(".")
    return (
        first in MODULES
        or any(name == own or name.startswith(f"{own}.") for own in NAMES)
        or (rest != "" and name.rpartition(".")[2] in ATTRIBUTES)
    )


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [own.name for own in node.names]
    home = "." * node.level + (node.module or "")
    return [_plain(f"{home}.{own.name}") for own in node.names]


# What names stand for


@dataclass
class Names:
    """imported: {"np": {"numpy"}}; aliases: the same for modules assigned to a name or an attribute."""

    imported: dict[str, set[str]] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    aliases: dict[str, set[str]] = field(default_factory=dict)

    def of(self, node: ast.expr) -> set[str]:
        """All that an expression may be: {"torch.load"} of `t.load`; a tuple is any of its elements."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id, BUILTINS & {node.id}) | self.aliases.get(node.id, set())
        if isinstance(node, ast.Attribute):
            below = {_plain(f"{above}.{node.attr}") for above in self.of(node.value)}
            return below | self.aliases.get(node.attr, set())
        if isinstance(node, ast.Call):
            return self._of_lookup(node)
        return {name for part in _parts(node) for name in self.of(part)}

    def _of_lookup(self, node: ast.Call) -> set[str]:
        looked_up = self.of(node.func)
        if "getattr" in looked_up and (text := _text(node, 1)):
            return {_plain(f"{above}.{text}") for above in self.of(node.args[0])}
        if "importlib.import_module" in looked_up and (text := _text(node, 0)):
            return {text}
        return set()

    def is_module(self, name: str) -> bool:
        """Whether names can be looked up in it that matter."""
        return name in self.modules or any(own.startswith(f"{name}.") for own in (*NAMES, *GUARDS))


def _plain(name: str) -> str:
    return name.removeprefix("builtins.")


def _parts(node: ast.expr) -> Iterable[ast.expr]:
    """The expressions of which the value of this one is one."""
    match node:
        case ast.NamedExpr(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            return [value]
        case ast.IfExp(body=body, orelse=other):
            return [body, other]
        case ast.BoolOp(values=values) | ast.Tuple(elts=values):
            return values
    return []


def _names(tree: ast.AST) -> Names:
    names = Names()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            _add_import(names, node)
    bindings = [pair for node in ast.walk(tree) for given in _bindings(node) for pair in _single(*given)]
    while any([_add_alias(names, target, value) for target, value in bindings]):  # noqa: C419  (all, not the first)
        pass
    return names


def _add_import(names: Names, node: ast.Import | ast.ImportFrom) -> None:
    for own, whole in zip(node.names, _imported(node), strict=True):
        first = whole.partition(".")[0]
        if isinstance(node, ast.Import):
            names.modules |= {whole, first}
            whole = whole if own.asname else first
        bound = own.asname or (first if isinstance(node, ast.Import) else own.name)
        names.imported.setdefault(bound, set()).add(whole)


def _add_alias(names: Names, target: str, value: ast.expr) -> bool:
    """Whether the target stands for a module that it did not stand for before."""
    known = names.aliases.setdefault(target, set())
    new = {name for name in names.of(value) if names.is_module(name)} - known
    known |= new
    return bool(new)


def _bindings(node: ast.AST) -> Iterable[tuple[ast.AST, ast.expr | None]]:
    """Every target that this node gives a value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [(target, value) for target in targets]
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            return [(target, value)]
        case ast.AugAssign(target=target, value=value):
            return [(target, value)]
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            return [(target, value)]
        case ast.comprehension(target=target, iter=value):
            return [(target, value)]
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            return [(target, value)]
        case ast.arguments():
            named = [*node.posonlyargs, *node.args]
            last = named[len(named) - len(node.defaults) :]
            return [*zip(last, node.defaults, strict=True), *zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    return []


def _single(target: ast.AST, value: ast.expr | None) -> Iterator[tuple[str, ast.expr]]:
    """A binding as bindings of single names; elements go to their own names where both sides show them."""
    if value is None:
        return
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            yield name, value
        case ast.Starred(value=inner) | ast.Subscript(value=inner):
            yield from _single(inner, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            for one, own in zip(targets, _shared_out(value, targets), strict=True):
                yield from _single(one, own)


def _shared_out(value: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    elements = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    plain = len(elements) == len(targets) and not any(
        isinstance(own, ast.Starred) for own in (*elements, *targets)
    )
    return elements if plain else [value] * len(targets)


# Functions that may be called, but only so


def _is_safe(node: ast.Call, names: Names) -> bool:
    return all(GUARDS[name](node, names) for name in names.of(node.func) & GUARDS.keys())


def _says_no_pickle(node: ast.Call, _: Names) -> bool:
    return any(own.arg == "allow_pickle" for own in node.keywords) and not _allows_pickle(node)


def _allows_pickle(node: ast.Call) -> bool:
    said = [own.value for own in node.keywords if own.arg == "allow_pickle"]
    return any(not isinstance(own, ast.Constant) or own.value is not False for own in said)


def _imports_harmless(node: ast.Call, _: Names) -> bool:
    name = _text(node, 0)
    return name is not None and not name.startswith(".") and not _is_banned(name)


def _reads_harmless(node: ast.Call, names: Names) -> bool:
    """getattr of a name that stands in the code, or from something that is no module."""
    if (name := _text(node, 1)) is not None:
        return name not in (*ATTRIBUTES, "__dict__")
    return len(node.args) > 1 and _no_module(node, names)


def _no_module(node: ast.Call, names: Names) -> bool:
    """Whether there are arguments, and the first is no module."""
    if not node.args or isinstance(node.args[0], ast.Starred):
        return False
    return not any(names.is_module(name) for name in names.of(node.args[0]))


def _asks_only(_node: ast.Call, _: Names) -> bool:
    return True


def _text(node: ast.Call, position: int) -> str | None:
    """The constant text that is handed over at this position, if it is one."""
    given = node.args[position] if len(node.args) > position else None
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value
    return None


GUARDS: dict[str, Callable[[ast.Call, Names], bool]] = {
    "numpy.load": _says_no_pickle,
    "importlib.import_module": _imports_harmless,
    "getattr": _reads_harmless,
    "hasattr": _asks_only,
    "vars": _no_module,
}
BUILTINS = {name for name in (*NAMES, *GUARDS) if "." not in name}
