# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions and methods of numpy with limits by the items that they take or make (``costs``)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from . import costs, policy
from .errors import Guarded

OVERLAPPING = 5e8
"""The most items of all parts of ``reduceat``."""


def size(value: Any) -> float:
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


def items(value: Any) -> float:
    if isinstance(value, np.ndarray):
        return float(value.size)
    return float(len(value)) if isinstance(value, list | tuple | str | bytes) else 1.0


def measured(function: Callable[..., Any], cost: str) -> Callable[..., Any]:
    """Limits a function by the items of its arguments."""
    most = costs.LARGEST[cost]
    name = getattr(function, "__name__", "This function")

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        for one in (*args, *kwargs.values()):
            if items(one) > most:
                raise Guarded(f"{name}() of {items(one):,.0f} items would freeze Blender; use at most {most:,}.")
        return function(*args, **kwargs)

    return called


_SIZES = {
    "beta": 2, "binomial": 2, "chisquare": 1, "choice": 1, "dirichlet": 1, "exponential": 1, "gamma": 2, "geometric": 1,
    "laplace": 2, "logistic": 2, "lognormal": 2, "multinomial": 2, "pareto": 1, "permutation": 0, "poisson": 1,
    "power": 1, "rayleigh": 1, "standard_exponential": 0, "standard_gamma": 1, "standard_t": 1, "vonmises": 2,
    "wald": 2, "weibull": 1,
}  # fmt: skip
"""The place of the number of draws among the arguments of a distribution."""
_PARTS = {"dirichlet": (0, "alpha"), "multinomial": (1, "pvals")}
"""The argument whose items each draw has."""


_SHUFFLING = frozenset({"shuffle", "permutation", "permuted"})


def _swaps(value: Any) -> float:
    """What mixing costs, in single numbers: rows and objects of Python are swapped one by one."""
    if isinstance(value, np.ndarray):
        return float(len(value)) * 40 if value.ndim > 1 else float(value.size)
    return items(value) * 5


def drawn(function: Callable[..., Any], cost: str) -> Callable[..., Any]:
    """Limits a distribution by what it draws, and from how many."""
    most = costs.LARGEST[cost]
    name = function.__name__
    place, part = _SIZES.get(name), _PARTS.get(name)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        draws = size(kwargs.get("size", args[place] if place is not None and len(args) > place else None))
        if part is not None:
            draws *= items(args[part[0]] if len(args) > part[0] else kwargs.get(part[1]))
        if name in _SHUFFLING and args:
            draws = max(draws, _swaps(args[0]))
        if name == "choice" and (kwargs.get("replace", True) is False or len(args) > 2 and not args[2]):
            draws = max(draws, size(args[0] if args else kwargs.get("a")))
        if max([draws, *map(items, args), *map(items, kwargs.values())]) > most:
            raise Guarded(f"{name}() of so many items would freeze Blender; use at most {most:,}.")
        return function(*args, **kwargs)

    return called


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Limits a function that shows an array as a larger one that has no memory of its own."""
    name = function.__name__

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if name == "broadcast_to":
            shape = kwargs.get("shape", args[1] if len(args) > 1 else ())
            shape = shape if isinstance(shape, tuple | list) else (shape,)
        else:
            shape = np.broadcast_shapes(*(np.shape(one) for one in args))
        if not math.prod(int(one) for one in shape) <= policy.policy().items * 5:
            raise Guarded(f"{name}() to the shape {tuple(shape)} has too many items.")
        return function(*args, **kwargs)

    return called


OBJECTS = 20_000_000
"""The most items of an array that may become objects of Python at once."""


def tolist(array: Any) -> Any:
    if array.size > OBJECTS * 2:
        raise Guarded(f"tolist() of {array.size:,} items would freeze Blender; give Blender the array itself.")
    return array.tolist()


def astype(array: Any, *args: Any, **kwargs: Any) -> Any:
    if array.size > OBJECTS:
        kind = np.dtype(args[0] if args else kwargs.get("dtype")).kind
        if kind in "OSUV" or array.dtype.kind in "OSUV":
            raise Guarded(f"astype() of {array.size:,} objects or texts would freeze Blender.")
    return array.astype(*args, **kwargs)


def at(function: Any, array: Any, indices: Any, *values: Any) -> Any:
    """``ufunc.at``, item by item."""
    _check_ufunc(function)
    count = max([np.size(one) for one in indices] if isinstance(indices, tuple) else [np.size(indices)])
    if count > costs.LARGEST["slow"]:
        raise Guarded(f"at() of {count:,} items would freeze Blender; use np.bincount() or at most 5,000,000.")
    return function.at(array, indices, *values)


def reduceat(function: Any, array: Any, indices: Any, *args: Any, **kwargs: Any) -> Any:
    """``ufunc.reduceat``, whose parts may overlap."""
    _check_ufunc(function)
    places = np.asarray(indices)
    parts = np.maximum(np.diff(places.astype(float)), 1).sum() + np.size(array)
    if not parts * max(np.size(array) / max(np.shape(array)[kwargs.get("axis", 0)], 1), 1) <= OVERLAPPING:
        raise Guarded("reduceat() of these overlapping parts would freeze Blender.")
    return function.reduceat(array, places, *args, **kwargs)


def outer(function: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    """``ufunc.outer``, as the operation on one array for each item of the other, which has a limit."""
    _check_ufunc(function)
    if float(np.size(a)) * np.size(b) > OBJECTS:
        raise Guarded(
            f"outer() of {float(np.size(a)) * np.size(b):,.0f} items would freeze Blender; use smaller arrays."
        )
    return function.outer(a, b, **kwargs)


def _check_ufunc(function: Any) -> None:
    if type(function) is not np.ufunc:
        raise Guarded("This is a method of numpy's own functions.")
