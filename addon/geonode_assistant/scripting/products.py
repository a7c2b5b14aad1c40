# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrix products: what one costs, and `@` with a limit. numpy multiplies in C, where nothing can stop it."""

from __future__ import annotations

import math
import operator
import sys
from typing import Any

from .errors import Guarded

STEPS = 8e9
"""The most multiplications of a library for linear algebra, which takes a few seconds for them."""
SLOW_STEPS = 5e8
"""The most of numpy's own loops, which it uses for whole numbers and for parts of other arrays."""
OBJECT_STEPS = 1e7
"""The most on objects of Python."""


def check(steps: float, name: str, *arrays: Any) -> None:
    """Raises if a product of these arrays takes more steps than it may."""
    most = min((_most(one) for one in arrays), default=STEPS)
    if not steps <= most:
        raise Guarded(f"{name} would take {steps:,.0f} steps, which would freeze Blender; use smaller arrays.")


def _most(array: Any) -> float:
    kind = getattr(getattr(array, "dtype", None), "kind", "f")
    if kind == "O":
        return OBJECT_STEPS
    size = getattr(array, "itemsize", 8)
    strides = getattr(array, "strides", ())[-2:]
    dense = not strides or min(abs(one) for one in strides) == size
    return STEPS if kind in "fc" and size > 2 and dense else SLOW_STEPS


def matrix(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """The multiplications of ``a @ b``, by their shapes."""
    if not a or not b:
        return 0.0
    columns = b[-1] if len(b) > 1 else 1
    batch = max(math.prod(a[:-2]), math.prod(b[:-2]), _joined(a[:-2], b[:-2]))
    rows = a[-2] if len(a) > 1 else 1
    return float(batch) * rows * a[-1] * columns


def _joined(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """The size of two shapes that are spread over each other."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    filled = (1,) * (len(longer) - len(shorter)) + shorter
    return math.prod(max(x, y) for x, y in zip(longer, filled, strict=True))


def _check(a: Any, b: Any) -> None:
    numpy = sys.modules.get("numpy")
    array = getattr(numpy, "ndarray", None)
    if numpy is None or array is None or not (isinstance(a, array) or isinstance(b, array)):
        return
    a, b = (one if isinstance(one, array) else numpy.asarray(one) for one in (a, b))
    check(matrix(a.shape, b.shape), "This product of matrices", a, b)


def product(a: Any, b: Any) -> Any:
    """``a @ b``."""
    _check(a, b)
    return operator.matmul(a, b)


def into(a: Any, b: Any) -> Any:
    """The result of ``a @= b`` for a name."""
    _check(a, b)
    return operator.imatmul(a, b)


def factor(b: Any) -> Any:
    """The right side of ``x.a @= b``, where the left one is not known."""
    if getattr(b, "ndim", 0) and b.size > 256 * 256:
        raise Guarded("For large matrices write x.a = x.a @ b.")
    return b
