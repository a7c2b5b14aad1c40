# SPDX-License-Identifier: GPL-3.0-or-later
"""numpy with limits, since a single call that fills or processes a huge array cannot be stopped."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from . import policy
from .errors import Guarded
from .guards import IN_PLACE_OF
from .membrane import MEMBERS

CUBIC = 2_000
"""The most rows of a matrix for functions that take cubic time."""


def _size(value: Any) -> float:
    """The number of items of a number, a shape or an array."""
    if isinstance(value, bool) or value is None:
        return 1.0
    if isinstance(value, int | float | np.number):
        return abs(float(value))
    if isinstance(value, tuple | list) and len(value) <= 8 and all(isinstance(one, int | np.integer) for one in value):
        product = 1.0
        for one in value:
            product *= max(abs(float(one)), 1.0)
        return product
    return 1.0


def _limited(function: Callable[..., Any], size: Callable[..., float]) -> Callable[..., Any]:
    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        wanted = size(*args, **kwargs)
        if not wanted <= policy.policy().items * 5:
            raise Guarded(f"{function.__name__}() would make {wanted:,.0f} items, which takes too much memory or time.")
        return function(*args, **kwargs)

    return called


def _shaped(*args: Any, **kwargs: Any) -> float:
    return max(
        [_size(args[0]) if args else 1.0, *(_size(kwargs[key]) for key in ("shape", "size", "N") if key in kwargs)]
    )


def _counted(*args: Any, **kwargs: Any) -> float:
    """linspace and similar functions: the third argument is the number of items."""
    return max([_size(args[2]) if len(args) > 2 else 1.0, _size(kwargs.get("num", 1))])


def _arranged(*args: Any, **kwargs: Any) -> float:
    start, stop, step = (0, *args[:1], 1) if len(args) == 1 else (*args[:3], 1)[:3] if len(args) > 1 else (0, 0, 1)
    stop, step, start = kwargs.get("stop", stop), kwargs.get("step", step), kwargs.get("start", start)
    try:
        return abs((float(stop) - float(start)) / float(step))
    except (TypeError, ValueError, ZeroDivisionError):
        return 1.0


def _repeated(array: Any, times: Any = 1, *args: Any, **kwargs: Any) -> float:
    times = kwargs.get("repeats", kwargs.get("reps", times))
    return float(np.size(array)) * _size(times)


def _dimensions(*args: Any, **kwargs: Any) -> float:
    product = 1.0
    for one in args:
        product *= _size(one)
    return max(product, _size(kwargs.get("size")))


def _sampled(*args: Any, **kwargs: Any) -> float:
    """Distributions: the size is the last of their arguments."""
    return max(
        [_size(one) for one in args if isinstance(one, tuple | list)] + [_size(args[-1]) if len(args) > 2 else 1.0]
    )


def _each_with_each(*args: Any, **kwargs: Any) -> float:
    """Convolutions: the work is the product of both lengths."""
    return _grid(*args[:2]) / 100


def _function(function: Any, shape: Any = (), **kwargs: Any) -> float:
    return _size(shape)


def _grid(*args: Any, **kwargs: Any) -> float:
    product = 1.0
    for one in args:
        product *= max(float(np.size(one)), 1.0)
    return product


def _square(*args: Any, **kwargs: Any) -> float:
    return max([_size(one) for one in args[:2]] or [1.0]) ** 2 if args else 1.0


def _cubic(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if any(max(np.shape(one) or (0,)) > CUBIC for one in args[:1] if np.ndim(one) >= 2):
            raise Guarded(f"{function.__name__}() of a matrix with more than {CUBIC} rows takes too long.")
        return function(*args, **kwargs)

    return called


def _einsum(function: Callable[..., Any]) -> Callable[..., Any]:
    """einsum, whose time is the product of the sizes of all its indices."""

    @wraps(function)
    def called(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
        if not isinstance(subscripts, str):
            raise Guarded("In safe mode, einsum() takes its subscripts as a string.")
        sides: dict[str, int] = {}
        steps = 1.0
        for labels, operand in zip(subscripts.replace(" ", "").split("->")[0].split(","), operands, strict=False):
            sides.update(zip(reversed(labels.replace("...", "")), reversed(np.shape(operand)), strict=False))
            if "..." in labels:
                steps *= max(float(np.size(operand)), 1.0)
        for side in sides.values():
            steps *= max(float(side), 1.0)
        if steps > policy.policy().items * 50:
            raise Guarded(f"einsum() would take {steps:,.0f} steps; multiply two arrays at a time.")
        return function(subscripts, *operands, **kwargs)

    return called


def _all(module: Any, names: tuple[str, ...], make: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: make(getattr(module, name)) for name in names if hasattr(module, name)}


class _Arrays(type):
    """The type of the replacement for `numpy.ndarray`: calling it never uses the memory of another object."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, np.ndarray)

    def __call__(cls, shape: Any, dtype: Any = float, *, order: Any = "C") -> Any:
        return ARRAYS["empty"](shape, dtype, order=order)


class Array(metaclass=_Arrays):
    """`numpy.ndarray` as a script has it, for `isinstance`, annotations and new arrays."""


Array.__name__ = Array.__qualname__ = "ndarray"
MEMBERS[Array] = frozenset()
IN_PLACE_OF[np.ndarray] = Array
ARRAYS = {
    "ndarray": Array,
    **_all(np, ("zeros", "ones", "empty", "full", "indices"), lambda f: _limited(f, _shaped)),
    **_all(np, ("linspace", "logspace", "geomspace"), lambda f: _limited(f, _counted)),
    **_all(np, ("arange",), lambda f: _limited(f, _arranged)),
    **_all(np, ("repeat", "tile"), lambda f: _limited(f, _repeated)),
    **_all(np, ("eye", "identity", "tri"), lambda f: _limited(f, _square)),
    **_all(np, ("einsum",), _einsum),
    **_all(np, ("meshgrid", "kron", "outer"), lambda f: _limited(f, _grid)),
    **_all(np, ("convolve", "correlate"), lambda f: _limited(f, _each_with_each)),
    **_all(np, ("fromfunction",), lambda f: _limited(f, _function)),
    **_all(np, ("hamming", "hanning", "blackman", "bartlett"), lambda f: _limited(f, _shaped)),
}
RANDOM = {
    **_all(np.random, ("rand", "randn"), lambda f: _limited(f, _dimensions)),
    **_all(np.random, ("random", "random_sample", "standard_normal"), lambda f: _limited(f, _shaped)),
    **_all(np.random, ("normal", "uniform", "randint", "triangular", "gamma"), lambda f: _limited(f, _sampled)),
}
LINALG = _all(
    np.linalg,
    (
        "cond",
        "det",
        "eig",
        "eigh",
        "eigvals",
        "inv",
        "lstsq",
        "matrix_rank",
        "pinv",
        "qr",
        "solve",
        "svd",
        "slogdet",
        "eigvalsh",
        "cholesky",
        "matrix_power",
    ),
    _cubic,
)
REPLACED = {"numpy": ARRAYS, "numpy.random": RANDOM, "numpy.linalg": LINALG}
