"""Where a file takes for granted that a pair has no direction, instead of asking the graph's pair space.

Looked for are the ways in which that was written before there was a pair space: rows of two sorted, n (n − 1) / 2,
low · n + high and back, pairs above the diagonal, and what the engine offers to undirected graphs only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Of the engine: these know that the adjacency is symmetric, and are called by a pair space.
ENGINE_NAMES = ("symmetric_adjacency", "merge_edges", "NonEdgeSampler", "free_pairs", "unlabelled_pairs")
OLD_NAMES = ("pair_codes", "all_unconnected")
_ABOVE_THE_DIAGONAL = ("triu", "triu_indices", "tril", "tril_indices")
_COUNTS = ("n", "n_nodes")


def assumptions(code: str) -> list[tuple[int, str]]:
    """Line and kind of each."""
    tree = ast.parse(code)
    return sorted({(node.lineno, what) for node in ast.walk(tree) for what in _kinds(node)})  # type: ignore[attr-defined]


def _kinds(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.ImportFrom(names=names):
            yield from (own.name for own in names if own.name in (*ENGINE_NAMES, *OLD_NAMES))
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.FunctionDef(name=name) if name in OLD_NAMES:
            yield name
        case ast.Attribute(attr=name) if name in (*ENGINE_NAMES, *_ABOVE_THE_DIAGONAL):
            yield name
        case ast.Call(func=ast.Attribute(attr="sort"), keywords=keywords) if _over_columns(keywords):
            yield "the two ends sorted"
        case ast.Call(func=ast.Attribute(attr="minimum" | "maximum"), args=[one, other]) if _ends(one, other):
            yield "the lower or higher end"
        case ast.Call(func=ast.Name(id="divmod") | ast.Attribute(attr="divmod"), args=[_, by]) if _counts(by):
            yield "a code taken apart"
        case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=by) if _counts(by):
            yield "a code taken apart"
        case ast.BinOp(left=ast.BinOp(left=_, op=ast.Mult(), right=by), op=ast.Add()) if _counts(by):
            yield "a code put together"
        case ast.BinOp(op=ast.MatMult(), right=ast.Tuple(elts=[by, ast.Constant(value=1)])) if _counts(by):
            yield "a code put together"
        case ast.BinOp(left=product, op=ast.FloorDiv() | ast.Div(), right=ast.Constant(value=2)):
            if _is_product_with_less_one(product):
                yield "half of n (n - 1)"


def _over_columns(keywords: list[ast.keyword]) -> bool:
    return any(own.arg == "axis" and ast.unparse(own.value) in ("1", "-1") for own in keywords)


def _ends(one: ast.expr, other: ast.expr) -> bool:
    """Whether these are the two columns of one array."""
    texts = ast.unparse(one), ast.unparse(other)
    return texts[0].endswith("[:, 0]") and texts[1] == texts[0].removesuffix("0]") + "1]"


def _counts(node: ast.expr) -> bool:
    """Whether this is a number of nodes: n, n_nodes, graph.n_nodes, max(n_nodes, 1)."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _COUNTS
        case ast.Call(args=args):
            return any(_counts(own) for own in args)
    return False


def _is_product_with_less_one(node: ast.expr) -> bool:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return False
    factors = ast.unparse(node.left), ast.unparse(node.right)
    return f"{factors[0]} - 1" == factors[1] or f"{factors[1]} - 1" == factors[0]
