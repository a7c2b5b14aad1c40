# SPDX-License-Identifier: GPL-3.0-or-later
"""Random numbers of numpy where they have an end: some are drawn until one fits, which at the edge of their
parameters none does, in C.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .errors import Guarded

_ENDING: dict[str, tuple[int, str, float, float]] = {
    "zipf": (0, "a", 1.05, 1000.0),
    "vonmises": (1, "kappa", -math.inf, 1e100),
}
"""By distribution the place and the name of the parameter that decides, and between what numbers one is found."""
_LAST = 624
"""The numbers that the generator holds."""


def ending(function: Callable[..., Any]) -> Callable[..., Any]:
    """A distribution in ``_ENDING``, for parameters with which it ends."""
    place, word, low, high = _ENDING[function.__name__]

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        given = np.asarray(args[place] if len(args) > place else kwargs.get(word, high), dtype=float)
        if not np.all((low <= given) & (given <= high)):
            between = f"between {low} and {high:g}" if low > -math.inf else f"at most {high:g}"
            raise Guarded(f"{function.__name__}() may never end with this {word}; it must be {between}.")
        return function(*args, **kwargs)

    return called


def restored(function: Callable[..., Any]) -> Callable[..., Any]:
    """set_state, for a state that get_state gave: numpy reads memory at a position that is too large."""

    @wraps(function)
    def called(state: Any) -> None:
        if not isinstance(state, tuple) or not 3 <= len(state) <= 5 or not 0 <= int(state[2]) <= _LAST:
            raise Guarded("set_state() takes what get_state() returned.")
        name, keys, at, *more = state
        function((str(name), np.array(keys), int(at), *(float(one) for one in more)))

    return called
