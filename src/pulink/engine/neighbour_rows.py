"""The sum of the neighbours' rows of a matrix, for use inside kernels, held in LLVM vectors from first to last.

A row is one cache line: 16 columns of float32 or 8 of float64. Columns never mix, and each is summed in the
order of the neighbours, so that a column does not depend on the columns beside it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

SINGLE_LANES, DOUBLE_LANES = 16, 8

_WORDS = {types.float32: (ir.FloatType(), SINGLE_LANES, 4), types.float64: (ir.DoubleType(), DOUBLE_LANES, 8)}
_WIDE = ir.IntType(64)


@intrinsic  # type: ignore[untyped-decorator]
def gather_neighbours(_: Any, out: Any, i: Any, scale: Any, table: Any, indices: Any, start: Any, end: Any) -> Any:
    """out[i] = scale * Σ_e table[indices[e]] - out[i] over start <= e < end.

    Both matrices are C-ordered and one line wide; i, start and end are int64, scale is of the matrices' type.
    """
    word, width, n_bytes = _WORDS[table.dtype]
    line = ir.VectorType(word, width)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def row(argument: int, number: Any) -> Any:
            data = context.make_array(sig.args[argument])(context, builder, args[argument]).data
            start = builder.gep(data, [builder.mul(number, ir.Constant(_WIDE, width))])
            return builder.bitcast(start, line.as_pointer())

        neighbours = context.make_array(sig.args[4])(context, builder, args[4]).data
        total = cgutils.alloca_once_value(builder, ir.Constant(line, [0.0] * width))
        with cgutils.for_range_slice(builder, args[5], args[6], ir.Constant(_WIDE, 1)) as (e, _):
            source = row(3, builder.zext(builder.load(builder.gep(neighbours, [e])), _WIDE))
            builder.store(builder.fadd(builder.load(total), builder.load(source, align=n_bytes)), total)
        target = row(0, args[1])
        scaled = builder.fmul(_broadcast(builder, args[2], line), builder.load(total))
        builder.store(builder.fsub(scaled, builder.load(target, align=n_bytes)), target, align=n_bytes)
        return context.get_dummy_value()

    return types.void(out, i, scale, table, indices, start, end), generate


def _broadcast(builder: Any, scalar: Any, line: Any) -> Any:
    index = ir.IntType(32)
    one = builder.insert_element(ir.Constant(line, ir.Undefined), scalar, ir.Constant(index, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(index, line.count), [0] * line.count))
