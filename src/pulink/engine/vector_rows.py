"""Operations on matrix rows for use inside kernels, written in LLVM vectors.

Numba compiles the same lines as plain loops to scalar instructions: a row is too short for LLVM's loop
vectoriser, and the two matrices might overlap. Measured on 16 columns, this is five times as fast.
The usual widths are unrolled; any other width takes a loop over whole vectors and one over the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

# How many rows ahead to prefetch: on graphs beyond the caches this halves the time and more.
AHEAD = 32
_LANES = 8
_UNROLLED = (16, 32, 64)
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, _LANES)
_FUSED = ("reassoc", "contract")


@intrinsic  # type: ignore[untyped-decorator]
def row_dot(_: Any, z: Any, i: Any, j: Any) -> Any:
    """z[i] · z[j] of a C-ordered float32 matrix; i and j are unsigned 32-bit numbers."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        rows = _Matrix(context, builder, sig.args[0], args[0])
        first, second = rows.row(args[1]), rows.row(args[2])
        lanes = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * _LANES))
        total = cgutils.alloca_once_value(builder, ir.Constant(_FLOAT, 0.0))

        def vector(column: Any) -> None:
            product = builder.fmul(first.load(column), second.load(column), flags=_FUSED)
            builder.store(builder.fadd(builder.load(lanes), product, flags=_FUSED), lanes)

        def scalar(column: Any) -> None:
            product = builder.fmul(first.cell(column), second.cell(column), flags=_FUSED)
            builder.store(builder.fadd(builder.load(total), product, flags=_FUSED), total)

        rows.for_each_column(vector, scalar)
        return builder.fadd(builder.load(total), _sum(builder, builder.load(lanes)), flags=_FUSED)

    return types.float32(z, i, j), generate


@intrinsic  # type: ignore[untyped-decorator]
def row_add(_: Any, target: Any, i: Any, scale: Any, z: Any, j: Any) -> Any:
    """target[i] += scale * z[j], for C-ordered float32 matrices of one width."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        into = _Matrix(context, builder, sig.args[0], args[0]).row(args[1])
        rows = _Matrix(context, builder, sig.args[3], args[3])
        source = rows.row(args[4])
        spread = _broadcast(builder, args[2])

        def vector(column: Any) -> None:
            step = builder.fmul(spread, source.load(column), flags=_FUSED)
            into.store(builder.fadd(into.load(column), step, flags=_FUSED), column)

        def scalar(column: Any) -> None:
            step = builder.fmul(args[2], source.cell(column), flags=_FUSED)
            builder.store(builder.fadd(into.cell(column), step, flags=_FUSED), into.pointer(column))

        rows.for_each_column(vector, scalar)
        return context.get_dummy_value()

    return types.void(target, i, scale, z, j), generate


@intrinsic  # type: ignore[untyped-decorator]
def row_prefetch(_: Any, z: Any, i: Any) -> Any:
    """Ask the processor to fetch row i into its cache while other work goes on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        start = (
            _Matrix(context, builder, sig.args[0], args[0]).row(args[1]).pointer(ir.Constant(ir.IntType(64), 0))
        )
        address = builder.bitcast(start, ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # For reading, to be kept in all caches, as data.
        builder.call(fetch, [address, ir.Constant(flag, 0), ir.Constant(flag, 3), ir.Constant(flag, 1)])
        return context.get_dummy_value()

    return types.void(z, i), generate


class _Matrix:
    """A matrix argument: its rows, and loops over its columns."""

    def __init__(self, context: Any, builder: Any, array_type: Any, value: Any) -> None:
        array = context.make_array(array_type)(context, builder, value)
        self._builder = builder
        self._data = array.data
        self._width = cgutils.unpack_tuple(builder, array.shape, 2)[1]

    def row(self, number: Any) -> _Row:
        wide = self._builder.zext(number, self._width.type)
        start = self._builder.mul(wide, self._width)
        return _Row(self._builder, self._builder.gep(self._data, [start]))

    def for_each_column(self, vector: Callable[[Any], None], scalar: Callable[[Any], None]) -> None:
        """Emit `vector` for every eight columns and `scalar` for those that are left."""
        builder, kind = self._builder, self._width.type
        end = builder.append_basic_block("row.end")
        other = builder.append_basic_block("row.other")
        switch = builder.switch(self._width, other)
        for width in _UNROLLED:
            block = builder.append_basic_block(f"row.{width}")
            switch.add_case(ir.Constant(kind, width), block)
            builder.position_at_end(block)
            for column in range(0, width, _LANES):
                vector(ir.Constant(kind, column))
            builder.branch(end)
        builder.position_at_end(other)
        lanes = ir.Constant(kind, _LANES)
        whole = builder.mul(builder.udiv(self._width, lanes), lanes)
        with cgutils.for_range_slice(builder, ir.Constant(kind, 0), whole, lanes) as (column, _):
            vector(column)
        with cgutils.for_range_slice(builder, whole, self._width, ir.Constant(kind, 1)) as (column, _):
            scalar(column)
        builder.branch(end)
        builder.position_at_end(end)


class _Row:
    """One row: cells and vectors by column."""

    def __init__(self, builder: Any, start: Any) -> None:
        self._builder = builder
        self._start = start

    def pointer(self, column: Any) -> Any:
        return self._builder.gep(self._start, [column])

    def cell(self, column: Any) -> Any:
        return self._builder.load(self.pointer(column))

    def load(self, column: Any) -> Any:
        return self._builder.load(self._vector(column), align=4)

    def store(self, value: Any, column: Any) -> None:
        self._builder.store(value, self._vector(column), align=4)

    def _vector(self, column: Any) -> Any:
        return self._builder.bitcast(self.pointer(column), _VECTOR.as_pointer())


def _sum(builder: Any, vector: Any) -> Any:
    kind = ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR])
    reduce = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{_LANES}f32")
    return builder.call(reduce, [ir.Constant(_FLOAT, 0.0), vector], fastmath=("reassoc",))


def _broadcast(builder: Any, scalar: Any) -> Any:
    index = ir.IntType(32)
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), scalar, ir.Constant(index, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(index, _LANES), [0] * _LANES))
