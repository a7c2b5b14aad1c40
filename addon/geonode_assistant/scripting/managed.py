# SPDX-License-Identifier: GPL-3.0-or-later
"""`with` in a script: an own class, a function with `@contextmanager`, `suppress`, a context of Blender's.

What stops a script is no `Exception`: it passes by every `__exit__` of the script, which would otherwise keep it. Only
Blender's own contexts are left in any case.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import bpy

from .errors import Guarded

# Generators between the beginning and the end of their `with`. What is stopped there stays: dropped, it would go on
# with its `finally` outside of every bound.
_STOPPED: list[Any] = []


class _Managed:
    """A context manager whose end sees exceptions of the script only, and none of their frames."""

    __slots__ = ("__inner__",)

    def __init__(self, inner: Any) -> None:
        self.__inner__ = inner

    def __enter__(self) -> Any:
        return type(self.__inner__).__enter__(self.__inner__)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        if kind is not None and not issubclass(kind, Exception):
            return False
        return bool(type(self.__inner__).__exit__(self.__inner__, kind, error, None))


class _Generated:
    """What a function with `@contextmanager` gives: its generator is reached by nobody else."""

    __slots__ = ("__generator__",)

    def __init__(self, generator: Iterator[Any]) -> None:
        self.__generator__ = generator

    def __enter__(self) -> Any:
        _STOPPED.append(self.__generator__)
        try:
            return next(self.__generator__)
        except StopIteration:
            _STOPPED.remove(self.__generator__)
            raise RuntimeError("a function with @contextmanager yields once") from None
        except Exception:
            _STOPPED.remove(self.__generator__)
            raise

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        generator: Any = self.__generator__
        if kind is None:
            _end(generator, lambda: next(generator))
            return False
        try:
            _end(generator, lambda: generator.throw(error))
        except Exception as raised:
            if raised is error:
                return False
            raise
        return True


def _end(generator: Any, step: Callable[[], Any]) -> None:
    try:
        step()
    except StopIteration:
        pass
    except Exception:
        _STOPPED.remove(generator)
        raise
    else:
        raise RuntimeError("a function with @contextmanager yields once")
    _STOPPED.remove(generator)


def contextmanager(function: Callable[..., Iterator[Any]]) -> Callable[..., _Generated]:
    """As `contextlib.contextmanager`."""

    @functools.wraps(function, updated=())
    def called(*args: Any, **kwargs: Any) -> _Generated:
        return _Generated(function(*args, **kwargs))

    return called


def suppress(*kinds: type) -> Any:
    """As `contextlib.suppress`, for exceptions."""
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise Guarded("suppress() takes exceptions such as ValueError.")
    return contextlib.suppress(*kinds)


_BLENDERS = type(bpy.context.temp_override())


def managed(thing: Any) -> Any:
    """What a `with` statement of a script begins and ends."""
    kind = type(thing)
    if isinstance(thing, _BLENDERS):
        return thing
    if kind is _Generated or hasattr(kind, "__enter__") and hasattr(kind, "__exit__"):
        return _Managed(thing)
    raise TypeError(f"{kind.__name__!r} object does not support the context manager protocol")


MODULES: dict[str, dict[str, Any]] = {"contextlib": {"contextmanager": contextmanager, "suppress": suppress}}
