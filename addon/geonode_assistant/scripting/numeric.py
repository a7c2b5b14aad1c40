# SPDX-License-Identifier: GPL-3.0-or-later
"""numpy with limits, since a single call that fills or processes a huge array cannot be stopped."""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Literal

import numpy as np

from .. import native
from . import costs, measured, policy, products, sampling
from .errors import Guarded
from .guards import IN_PLACE_OF
from .membrane import MEMBERS, key
from .methods import LIMITED

TERMS = 1e8
"""The most products of terms that an operator on polynomials computes."""
SORTED = 5e8
"""The most comparisons of a sort or a search."""


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
        [
            measured.size(args[0]) if args else 1.0,
            *(measured.size(kwargs[key]) for key in ("shape", "size", "N") if key in kwargs),
        ]
    )


def _counted(*args: Any, **kwargs: Any) -> float:
    """linspace and similar functions: the third argument is the number of items."""
    return max([measured.size(args[2]) if len(args) > 2 else 1.0, measured.size(kwargs.get("num", 1))])


def _arranged(*args: Any, **kwargs: Any) -> float:
    start, stop, step = (0, *args[:1], 1) if len(args) == 1 else (*args[:3], 1)[:3] if len(args) > 1 else (0, 0, 1)
    stop, step, start = kwargs.get("stop", stop), kwargs.get("step", step), kwargs.get("start", start)
    try:
        return abs((float(stop) - float(start)) / float(step))
    except (TypeError, ValueError, ZeroDivisionError):
        return 1.0


def _repeated(array: Any, times: Any = 1, *args: Any, **kwargs: Any) -> float:
    times = kwargs.get("repeats", kwargs.get("reps", times))
    return float(np.size(array)) * measured.size(times)


def _dimensions(*args: Any, **kwargs: Any) -> float:
    product = 1.0
    for one in args:
        product *= measured.size(one)
    return max(product, measured.size(kwargs.get("size")))


def _sampled(*args: Any, **kwargs: Any) -> float:
    """Distributions: the size is the last of their arguments."""
    return max(
        [measured.size(one) for one in args if isinstance(one, tuple | list)]
        + [measured.size(args[-1]) if len(args) > 2 else 1.0]
    )


def _each_with_each(*args: Any, **kwargs: Any) -> float:
    """Convolutions: the work is the product of both lengths."""
    return _grid(*args[:2]) / 100


def _function(function: Any, shape: Any = (), **kwargs: Any) -> float:
    return measured.size(shape)


def _grid(*args: Any, **kwargs: Any) -> float:
    product = 1.0
    for one in args:
        product *= max(float(np.size(one)), 1.0)
    return product


def _square(*args: Any, **kwargs: Any) -> float:
    return max([measured.size(one) for one in args[:2]] or [1.0]) ** 2 if args else 1.0


def _stepped(function: Callable[..., Any], steps: Callable[..., float], most: float) -> Callable[..., Any]:
    """Limits a function by the number of steps that these arguments take."""
    name = getattr(function, "__name__", "This function")

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            wanted = float(steps(*args, **kwargs))
        except (TypeError, ValueError, IndexError, OverflowError):
            wanted = 0.0  # numpy reports what is wrong
        if not wanted <= most:
            raise Guarded(f"{name}() would take about {wanted:,.0f} steps, which would freeze Blender.")
        return function(*args, **kwargs)

    return called


def _product(function: Callable[..., Any], steps: Callable[..., float]) -> Callable[..., Any]:
    """Limits a product of two arrays."""
    name = f"{function.__name__}()"

    @wraps(function)
    def called(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        first, second = np.asanyarray(a), np.asanyarray(b)
        try:
            wanted = float(steps(first.shape, second.shape, *args, **kwargs))
        except (TypeError, ValueError, IndexError, ZeroDivisionError):
            wanted = 0.0
        products.check(wanted, name, first, second)
        return function(a, b, *args, **kwargs)

    return called


def _prod(shape: Any) -> float:
    return float(np.prod(shape, dtype=float))


def _dotted(a: Any, b: Any, *args: Any, **kwargs: Any) -> float:
    return _prod(a) * _prod(b) / (a[-1] if a and b else 1)


def _contracted(a: Any, b: Any, axes: Any = 2) -> float:
    if isinstance(axes, int | np.integer):
        shared = a[len(a) - int(axes) :]
    else:
        shared = [a[one] for one in np.atleast_1d(axes[0])]
    return _prod(a) * _prod(b) / _prod(shared)


def _multiplied(arrays: Any, **kwargs: Any) -> float:
    sides = sorted((side for one in arrays for side in np.shape(one)), reverse=True)[:3]
    return _prod(sides) * len(arrays)


def _decomposed(a: Any, *args: Any, **kwargs: Any) -> float:
    """The steps of a decomposition of each matrix in an array."""
    *outer, rows, columns = np.shape(a)
    return _prod(outer) * rows * columns * min(rows, columns)


def _weighted(weight: float) -> Callable[..., float]:
    return lambda a, *args, **kwargs: weight * _decomposed(a)


def _solved(a: Any, b: Any, *args: Any, **kwargs: Any) -> float:
    return 5 * _decomposed(a) + float(np.size(b)) * np.shape(a)[-1]


def _powered(a: Any, n: Any) -> float:
    return _decomposed(a) * max(abs(int(n)).bit_length(), 1) * 2


def _normed(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> float:
    if ord not in (2, -2, "nuc") or isinstance(axis, int) or (axis is None and np.ndim(x) != 2):
        return 0.0
    return 60 * (_decomposed(np.moveaxis(x, axis, (-2, -1))) if axis is not None else _decomposed(x))


def _correlated(m: Any, y: Any = None, rowvar: Any = True, *args: Any, **kwargs: Any) -> float:
    rows, columns = np.shape(m) if np.ndim(m) == 2 else (1, np.size(m))
    return float(rows) * columns * (rows if rowvar else columns) * (4 if y is not None else 1)


def _fitted(x: Any, y: Any, deg: Any, *args: Any, **kwargs: Any) -> float:
    degree = np.max(deg) + 1.0
    return 20 * float(np.size(x)) * degree * (degree + np.size(y) / max(np.size(x), 1))


def _ordered(a: Any, *args: Any, **kwargs: Any) -> float:
    size = float(np.size(a))
    return size * np.log2(max(size, 2.0))


def _ordered_both(a: Any, b: Any, *args: Any, **kwargs: Any) -> float:
    return _ordered(a) + _ordered(b)


def _searched(a: Any, v: Any, *args: Any, **kwargs: Any) -> float:
    return 2 * float(np.size(v)) * np.log2(max(float(np.size(a)), 2.0))


def _chosen(a: Any, kth: Any, *args: Any, **kwargs: Any) -> float:
    """A partition, which begins anew for each place."""
    return float(np.size(a)) * np.size(kth)


def _ranked(a: Any, q: Any, *args: Any, **kwargs: Any) -> float:
    """Quantiles, each of which lies between two places of a partition."""
    return 2 * _chosen(a, q)


def _transformed(a: Any, n: Any = None, *args: Any, **kwargs: Any) -> float:
    """A Fourier transform; where a length has a large prime factor, it takes several longer ones."""
    sides = [*np.shape(a)]
    wanted = [int(one) for one in np.atleast_1d(kwargs.get("s", n)) if one is not None]
    if wanted:
        sides[-len(wanted) :] = wanted
    return _prod(sides) * sum(np.log2(max(side, 2)) * (8 if _is_rough(side) else 1) for side in {*sides})


def _is_rough(side: int) -> bool:
    """Whether a length has a prime factor above those by which it is divided quickly."""
    for factor in (2, 3, 5, 7, 11, 13):
        while side > 1 and side % factor == 0:
            side //= factor
    return side > 100


def _binned(x: Any, bins: Any, *args: Any, **kwargs: Any) -> float:
    return _searched(bins, x)


def _correlated_draws(mean: Any, cov: Any, size: Any = None, *args: Any, **kwargs: Any) -> float:
    sides = float(np.size(mean))
    return 10 * sides**3 + measured.size(size) * sides**2


def _differences(a: Any, n: Any = 1, *args: Any, **kwargs: Any) -> float:
    return float(np.size(a)) * max(abs(float(n)), 1.0)


def _texts(function: Callable[..., Any]) -> Callable[..., Any]:
    """Limits a sort by the size of its items too."""

    @wraps(function)
    def called(a: Any, *args: Any, **kwargs: Any) -> Any:
        array = a if isinstance(a, np.ndarray) else np.asanyarray(a) if isinstance(a, list | tuple) else None
        if array is not None and array.dtype.kind in "USVO" and _ordered(array) * array.itemsize > SORTED:
            raise Guarded(f"{function.__name__}() of {array.size:,} texts or objects would freeze Blender.")
        return function(a, *args, **kwargs)

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


def _method(method: Any, limit: Callable[[Any], Any]) -> Callable[..., Any]:
    """A limit on a method whose object is not among the sizes."""

    def called(thing: Any, *args: Any, **kwargs: Any) -> Any:
        return limit(method.__get__(thing))(*args, **kwargs)

    return called


def _drawing(cost: str) -> Callable[[Any], Any]:
    return lambda function: measured.drawn(function, cost)


def _all(module: Any, names: tuple[str, ...], make: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: make(getattr(module, name)) for name in names if hasattr(module, name)}


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array and does not write into its memory, which would show what was there before."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        if not made.dtype.hasobject:
            made[...] = np.zeros((), made.dtype)
        return made

    return called


def _described(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls the script, or its iterator, so that nobody has looked at the dtype that it is given."""

    @wraps(function)
    def called(first: Any, second: Any = _NONE, *args: Any, dtype: Any = float, **kwargs: Any) -> Any:
        if function is np.fromiter and second is not _NONE:
            dtype, second = second, _NONE
        rest = args if second is _NONE else (second, *args)
        return function(first, *rest, dtype=native.core().call_enclosed(np.dtype, dtype), **kwargs)

    return called


_NONE = object()


def _padded(function: Callable[..., Any]) -> Callable[..., Any]:
    """pad, which leaves new items unwritten if asked for that."""

    @wraps(function)
    def called(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
        return function(array, pad_width, "constant" if mode == "empty" else mode, **kwargs)

    return called


PARTS = 20_000
"""The most arrays that `block` puts together, counting each as often as it stands there."""


def _blocks(function: Callable[..., Any]) -> Callable[..., Any]:
    """block, which walks through lists in lists, the same one again wherever it stands."""

    def count(parts: Any, known: dict[int, int]) -> int:
        if not isinstance(parts, list | tuple):
            return 1
        if id(parts) not in known:
            known[id(parts)] = sum(count(one, known) for one in parts)
        return known[id(parts)]

    @wraps(function)
    def called(arrays: Any) -> Any:
        parts = count(arrays, {})
        if parts > PARTS:
            raise Guarded(f"block() of {parts:,} parts would freeze Blender; use at most {PARTS:,}.")
        return function(arrays)

    return called


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


class Joined:
    """``numpy.r_`` or ``numpy.c_``, for slices and arrays: a text alone would be looked up among names."""

    __slots__ = ("__real__",)

    def __init__(self, real: Any) -> None:
        self.__real__ = real

    def __getitem__(self, key: Any) -> Any:
        first = key[0] if type(key) is tuple and key else None
        if isinstance(key, str) or isinstance(first, str) and not _DIRECTIVE.fullmatch(str.__str__(first)):
            raise Guarded("r_ and c_ take slices and arrays, perhaps after a text such as '0,2'.")
        return native.core().call_enclosed(operator.getitem, self.__real__, key)


_DIRECTIVE = re.compile(r"-?\d(,-?\d){0,2}")
MEMBERS[Joined] = frozenset()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    suppress: bool | None = None,
    sign: Literal["-", "+", " "] | None = None,
) -> None:
    """``numpy.set_printoptions`` without functions; ``quiet`` restores the options when the script has ended."""
    np.set_printoptions(precision, threshold, edgeitems, linewidth, suppress, sign=sign)


def errstate(**how: Any) -> Any:
    """``numpy.errstate`` that calls nothing; ``quiet`` restores how numpy reports errors when the script has ended."""
    if any(type(one) is not str or one not in ("ignore", "warn", "raise") for one in how.values()):
        raise Guarded("errstate() takes 'ignore', 'warn' or 'raise' in safe mode.")
    return np.errstate(**how)


ARRAYS = {
    "errstate": errstate,
    "c_": Joined(np.c_),
    "r_": Joined(np.r_),
    "set_printoptions": set_printoptions,
    "ndarray": Array,
    **_all(np, ("zeros", "ones", "full", "indices"), lambda f: _limited(f, _shaped)),
    **_all(np, ("empty",), lambda f: _written(_limited(f, _shaped))),
    **_all(np, ("empty_like",), _written),
    **_all(np, ("block",), _blocks),
    **_all(np, ("linspace", "logspace", "geomspace"), lambda f: _limited(f, _counted)),
    **_all(np, ("arange",), lambda f: _limited(f, _arranged)),
    **_all(np, ("repeat", "tile"), lambda f: _limited(f, _repeated)),
    **_all(np, ("eye", "identity", "tri"), lambda f: _limited(f, _square)),
    **_all(np, ("einsum",), _einsum),
    **_all(np, ("meshgrid", "kron", "outer"), lambda f: _limited(f, _grid)),
    **_all(np, ("convolve", "correlate", "polymul"), lambda f: _limited(f, _each_with_each)),
    **_all(np, ("polyval",), lambda f: _limited(f, _each_with_each)),
    **_all(np, ("matmul",), lambda f: _product(f, lambda a, b, *args, **kwargs: products.matrix(a, b))),
    **_all(np, ("dot",), lambda f: _product(f, _dotted)),
    **_all(np, ("inner",), lambda f: _product(f, _dotted)),
    **_all(np, ("tensordot",), lambda f: _product(f, _contracted)),
    **_all(np, ("cov", "corrcoef"), lambda f: _stepped(f, _correlated, products.STEPS)),
    **_all(np, ("polyfit",), lambda f: _stepped(f, _fitted, products.STEPS)),
    **_all(np, ("roots",), lambda f: _stepped(f, lambda p: 150 * float(np.size(p)) ** 3, products.STEPS)),
    **_all(np, ("sort", "argsort", "unique"), lambda f: _texts(_stepped(f, _ordered, SORTED))),
    **_all(np, ("lexsort",), lambda f: _stepped(f, lambda keys, *args, **kwargs: 4 * _ordered(keys), SORTED)),
    **_all(np, ("broadcast_to", "broadcast_arrays"), measured.spread),
    **_all(np, ("diff",), lambda f: _stepped(f, _differences, SORTED)),
    **_all(
        np,
        ("isin", "in1d", "intersect1d", "union1d", "setdiff1d", "setxor1d"),
        lambda f: _stepped(f, _ordered_both, SORTED),
    ),
    **_all(np, ("searchsorted",), lambda f: _stepped(f, _searched, SORTED)),
    **_all(np, ("digitize",), lambda f: _stepped(f, _binned, SORTED)),
    **_all(np, ("fromiter",), _described),
    **_all(np, ("fromfunction",), lambda f: _described(_limited(f, _function))),
    **_all(np, ("hamming", "hanning", "blackman", "bartlett", "kaiser"), lambda f: _limited(f, _shaped)),
}
RANDOM = {
    **_all(np.random, ("rand", "randn"), lambda f: _limited(f, _dimensions)),
    **_all(np.random, ("random", "random_sample", "standard_normal"), lambda f: _limited(f, _shaped)),
    **_all(np.random, ("normal", "uniform", "randint", "triangular", "gamma"), lambda f: _limited(f, _sampled)),
    **_all(np.random, ("zipf",), sampling.ending),
    **_all(np.random, ("set_state",), sampling.restored),
    **_all(np.random, ("multivariate_normal",), lambda f: _stepped(f, _correlated_draws, products.STEPS)),
}
_WEIGHTS = {
    "cond": 60, "det": 5, "eig": 150, "eigh": 20, "eigvals": 150, "inv": 5, "matrix_rank": 60, "pinv": 60, "qr": 20,
    "svd": 60, "slogdet": 5, "eigvalsh": 20, "cholesky": 5,
}  # fmt: skip
"""Functions that decompose matrices, with how much longer than a product they take at worst, when
the processor has other work: the threads of the library then wait for each other."""
LINALG = {
    name: _stepped(getattr(np.linalg, name), _weighted(weight), products.STEPS) for name, weight in _WEIGHTS.items()
}
LINALG |= {
    **_all(np.linalg, ("solve",), lambda f: _stepped(f, _solved, products.STEPS)),
    **_all(
        np.linalg,
        ("lstsq",),
        lambda f: _stepped(f, lambda a, b, *args, **kwargs: 60 * _decomposed(a) + _solved(a, b), products.STEPS),
    ),
    **_all(np.linalg, ("matrix_power",), lambda f: _stepped(f, _powered, products.STEPS)),
    **_all(np.linalg, ("multi_dot",), lambda f: _stepped(f, _multiplied, products.STEPS)),
    **_all(np.linalg, ("norm",), lambda f: _stepped(f, _normed, products.STEPS)),
    **_all(
        np.linalg,
        ("tensorsolve",),
        lambda f: _stepped(f, lambda a, b, *args, **kwargs: float(np.size(a)) ** 1.5, products.STEPS),
    ),
}


@contextlib.contextmanager
def polynomials() -> Iterator[None]:
    """While it lasts, the operators of ``poly1d`` multiply within a limit: they are numpy's own, so that no guard
    sees them.
    """
    names = np.poly1d.__mul__.__globals__
    before = names["polymul"]
    names["polymul"] = _stepped(before, lambda one, other: float(np.size(one)) * np.size(other), TERMS)
    try:
        yield
    finally:
        names["polymul"] = before


REPLACED = {"numpy": ARRAYS, "numpy.random": RANDOM, "numpy.linalg": LINALG, "numpy.fft": {}}
for _name, _module, _limit in (
    ("numpy", np, measured.measured),
    ("numpy.random", np.random, measured.drawn),
    ("numpy.fft", np.fft, measured.measured),
):
    for _cost in costs.LARGEST:
        for _one in costs.named(_name, _cost):
            if hasattr(_module, _one) and not isinstance(getattr(_module, _one), np.ufunc | type):
                REPLACED[_name][_one] = _limit(getattr(_module, _one), _cost)
REPLACED["numpy"]["pad"] = _padded(REPLACED["numpy"].get("pad", np.pad))
_STEPS: tuple[tuple[str, str, Callable[..., float]], ...] = (
    ("numpy", "partition argpartition", _chosen),
    ("numpy", "percentile quantile nanpercentile nanquantile", _ranked),
    ("numpy.fft", "fft fft2 fftn ifft ifft2 ifftn irfft irfft2 rfft rfft2", _transformed),
)
"""Functions that are limited by the size of their arrays, and by what is done with these."""
for _name, _names, _steps in _STEPS:
    for _one in _names.split():
        REPLACED[_name][_one] = _stepped(REPLACED[_name][_one], _steps, SORTED)
REPLACED["numpy.random"]["vonmises"] = sampling.ending(REPLACED["numpy.random"]["vonmises"])
LIMITED["numpy.ndarray"] = {
    "dot": ARRAYS["dot"],
    **{name: _stepped(getattr(np.ndarray, name), steps, SORTED) for name, steps in (("searchsorted", _searched),)},
    **{name: _texts(_stepped(getattr(np.ndarray, name), _ordered, SORTED)) for name in ("sort", "argsort")},
    **{
        name: measured.measured(getattr(np.ndarray, name), cost)
        for cost in costs.LARGEST
        for name in costs.methods("numpy.ndarray", cost)
    },
    **{name: _stepped(getattr(np.ndarray, name), _chosen, SORTED) for name in ("partition", "argpartition")},
    "tolist": measured.tolist,
    "astype": measured.astype,
}
LIMITED["numpy.ufunc"] = {"at": measured.at, "reduceat": measured.reduceat, "outer": measured.outer}
for _class in (np.random.Generator, np.random.RandomState):
    LIMITED[key(_class)] = {
        **{
            name: _method(getattr(_class, name), _drawing(cost))
            for cost in costs.LARGEST
            for name in costs.methods(key(_class), cost)
        },
        "zipf": _method(_class.zipf, sampling.ending),
        "vonmises": _method(_class.vonmises, lambda f: sampling.ending(measured.drawn(f, costs.MIDDLE))),
        "multivariate_normal": _method(
            _class.multivariate_normal, lambda f: _stepped(f, _correlated_draws, products.STEPS)
        ),
    }
