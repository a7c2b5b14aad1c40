# SPDX-License-Identifier: GPL-3.0-or-later
"""`with` in a script: an own class, a function with `@contextmanager`, `suppress`, a context of Blender's.

The exception that stops a script is not an `Exception`: it bypasses every `__exit__` of the script, which could
otherwise suppress it. Blender's own contexts are always exited: what a script has entered, in whatever way, and not
left, the end of the script leaves (``leave``).
"""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import bpy

from .errors import Guarded

# Generators between the begin and the end of their `with`. They are kept when the script is stopped: if they were
# freed, Python would run their `finally` without any limits.
_STOPPED: list[Any] = []


class _Override:
    """A context of Blender's. Those that were entered are left in the opposite order, each once: one that is left
    before those that were entered after it would otherwise come back with them.
    """

    __slots__ = ("__given__", "__inner__")

    def __init__(self, inner: Any) -> None:
        self.__inner__ = inner
        self.__given__: dict[str, Any] = next((given for one, given in _GIVEN if one is inner), {})

    def __enter__(self) -> Any:
        if any(one is self or one.__inner__ is self.__inner__ for one in _ENTERED):
            raise RuntimeError("This context has been entered already.")
        found = self.__inner__.__enter__()
        _ENTERED.append(self)
        return found

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if any(one is self for one in _ENTERED):
            while _ENTERED:
                last = _ENTERED.pop()
                last.__inner__.__exit__(None, None, None)
                if last is self:
                    break


_ENTERED: list[_Override] = []
"""Blender's contexts that the script is in, the outermost first."""


_GIVEN: list[tuple[Any, dict[str, Any]]] = []
"""What each context of Blender's was made with."""


def leave() -> None:
    """Leaves the contexts of Blender's that a script has entered and not left. Called when it has ended."""
    while _ENTERED:
        _ENTERED.pop().__inner__.__exit__(None, None, None)
    _GIVEN.clear()


def overriding(context: Any, /, **given: Any) -> Any:
    """``context.temp_override``, as a script has it."""
    # The context keeps a list without looking at it again.
    given = {name: list(one) if isinstance(one, list | tuple) else one for name, one in given.items()}
    found = context.temp_override(**given)
    _GIVEN.append((found, given))
    return found


def refresh() -> None:
    """Takes what is gone out of the contexts that the script is in: some Blenders do not look whether it is there."""
    first = next((at for at, one in enumerate(_ENTERED) if any(map(_lacks, one.__given__.values()))), None)
    if first is None:
        return
    inner = _ENTERED[first:]
    for one in reversed(inner):
        one.__inner__.__exit__(None, None, None)
    for one in inner:
        one.__given__ = {name: _there(value) for name, value in one.__given__.items()}
        one.__inner__ = bpy.context.temp_override(**one.__given__)
        one.__inner__.__enter__()


def _lacks(value: Any) -> bool:
    """Whether something of Blender's is gone, or something in a list."""
    if isinstance(value, list):
        return any(map(_lacks, value))
    if isinstance(value, bpy.types.bpy_struct):
        struct: Any = value
        try:
            return struct.rna_type is None
        except ReferenceError:
            return True
    return False


def _there(value: Any) -> Any:
    if isinstance(value, list):
        return [one for one in value if not _lacks(one)]
    return None if _lacks(value) else value


class _Managed:
    """A context manager whose `__exit__` gets only exceptions of the script, without their frames."""

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
    """The result of a function with `@contextmanager`; nothing else can reach its generator."""

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

    MANAGING.add(called)
    return called


MANAGING: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet()
"""What ``contextmanager`` has made: each only calls its function of the script."""


class ExitStack:
    """As `contextlib.ExitStack`: contexts, and calls, that the end of a `with` ends."""

    __slots__ = ("__waiting__",)

    def __init__(self) -> None:
        self.__waiting__: list[Any] = []

    def enter_context(self, thing: Any, /) -> Any:
        """Enters a context, and exits it at the end."""
        found = managed(thing)
        entered = found.__enter__()
        self.__waiting__.append(found)
        return entered

    def callback(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Calls a function at the end."""
        self.__waiting__.append(_Managed(_Call(function, args, kwargs)))
        return function

    def close(self) -> None:
        """The end."""
        self.__exit__(None, None, None)

    def __enter__(self) -> ExitStack:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        left = error
        while self.__waiting__:
            try:
                if self.__waiting__.pop().__exit__(None if left is None else type(left), left, None):
                    left = None
            except Exception as raised:
                left = raised
        if left is not None and left is not error:
            raise left
        return error is not None and left is None


class _Call:
    """A call as the end of a context."""

    __slots__ = ("__args__", "__function__", "__kwargs__")

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.__function__, self.__args__, self.__kwargs__ = function, args, kwargs

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.__function__(*self.__args__, **self.__kwargs__)


def suppress(*kinds: type) -> Any:
    """As `contextlib.suppress`, for exceptions."""
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise Guarded("suppress() takes exception classes such as ValueError.")
    return contextlib.suppress(*kinds)


@functools.cache
def _override() -> type:
    """Blender's own context manager; not to be had while add-ons are registered."""
    return type(bpy.context.temp_override())


def managed(thing: Any) -> Any:
    """The context manager that a `with` statement of a script enters and exits."""
    kind = type(thing)
    if isinstance(thing, _override()):
        return _Override(thing)
    if kind is _Generated or hasattr(kind, "__enter__") and hasattr(kind, "__exit__"):
        return _Managed(thing)
    raise TypeError(f"{kind.__name__!r} object does not support the context manager protocol")


MODULES: dict[str, dict[str, Any]] = {
    "contextlib": {"ExitStack": ExitStack, "contextmanager": contextmanager, "suppress": suppress}
}
