# SPDX-License-Identifier: GPL-3.0-or-later
"""Which classes are the script's own: those that its class statements make, and those that a library makes for it."""

from __future__ import annotations

import builtins
import collections
import enum
import functools
import sys
import types
import typing
from collections.abc import Callable
from types import FunctionType
from typing import Any

from . import library, removals, with_blocks

_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
"""Flags of a type that Python code may have made, and of one that cannot be changed."""


def key(kind: type) -> str:
    """The name of a type in the lists; none for a type that only says that it is called so."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name.startswith("_cython_"):
        return "cython.function"
    return name if kind.__flags__ & (_HEAP | _IMMUTABLE) != _HEAP or _is_there(kind) else ""


def _is_there(kind: type) -> bool:
    """Whether the module that a type names has it under that name, or as a private one (`functools._CacheInfo`)."""
    found: Any = sys.modules.get(kind.__module__)
    *outer, last = kind.__qualname__.split(".")
    for part in outer:
        found = getattr(found, part, None)
    return any(getattr(found, name, None) is kind for name in (last, f"_{last}"))


class OwnClasses:
    """The classes of one script."""

    def __init__(self, known: dict[str, frozenset[str]]) -> None:
        """``known``: the lists of library types, which say what may be derived from."""
        self._types = known
        self._own: set[type] = set()
        self._building = 0
        self._builtins: dict[str, Any] | None = None

    def build_class(self, function: Any, name: str, *bases: Any, **how: Any) -> Any:
        """``__build_class__``: the class that it creates is the script's own."""
        if "metaclass" in how or any(type(base) in self._own for base in bases):
            raise TypeError("A class may not be made by anything else than its class statement.")
        for base in types.resolve_bases(bases):
            known = isinstance(base, type) and (base in self._own or self._may_be_derived_from(base))
            if not known and base not in _TYPING:
                raise TypeError(f"{getattr(base, '__name__', base)} is not a class that a script may derive from.")
        self._building += 1
        try:
            made = builtins.__build_class__(function, name, *bases, **how)
        finally:
            self._building -= 1
        if isinstance(made, type):
            self._check_made(made)
        return made

    def _check_made(self, made: type) -> None:
        """Makes a class the script's own, unless the body of its statement made of it what the rules do not allow."""
        self._own.discard(made)
        for defined, value in made.__dict__.items():
            # The name of a slot is a value, which no rule has seen.
            if type(value) is types.MemberDescriptorType and defined.startswith("__") and defined.endswith("__"):
                raise TypeError(f"{made.__name__} may not have an attribute {defined}.")
        self._check_slots(made)
        copier = made.__dict__.get("__deepcopy__")
        if type(copier) is FunctionType:
            type.__setattr__(made, "__deepcopy__", library.copying(copier))
        elif copier is not None:
            raise TypeError(f"{made.__name__}.__deepcopy__ may only be a method.")
        for asks in ("__getitem__", "__len__"):
            if type(method := made.__dict__.get(asks)) is FunctionType:
                type.__setattr__(made, asks, removals.answering(method))
        self.adopt(made)
        for one in type.mro(made):
            for defined, value in one.__dict__.items() if one in self._own else ():
                if not is_fixed(made, defined) or defined in getattr(made, "__members__", ()):
                    continue
                if all(value is not flags.__dict__.get(defined) for flags in (enum.Flag, enum.IntFlag)):
                    self._own.discard(made)
                    raise TypeError(f"{made.__name__} may not define {defined}: its values are plain data.")

    def _check_slots(self, made: type) -> None:
        """Raises unless the methods that C calls are functions of the script: while Blender uses an object, those are
        seen and stopped, others are not.
        """
        for defined, value in made.__dict__.items():
            inner = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            parts = (inner.fget, inner.fset, inner.fdel) if isinstance(inner, property) else (inner,)
            if defined.startswith("__") and not all(self._may_be_slot(made, defined, value, one) for one in parts):
                raise TypeError(f"{made.__name__}.{defined} may only be a function that the script defines.")

    def _may_be_slot(self, made: type, defined: str, value: Any, function: Any) -> bool:
        if not callable(function):
            return not hasattr(type(function), "__get__") or type(function) in _OF_INSTANCES
        if type(function) is FunctionType:
            # Its code, which would tell for certain, may not be looked at while a script runs.
            named = function.__qualname__ in (f"{made.__name__}.{defined}", f"{made.__name__}._replace")
            named = named and not hasattr(collections, made.__name__)
            made_by_library = issubclass(made, tuple) and function.__module__ == "collections" and named
            if getattr(function, "__builtins__", None) is self._builtins or made_by_library:
                return True
        if any(value is base.__dict__.get(defined) for base in type.mro(made)[1:]):
            return True
        if type(function) is FunctionType and function in with_blocks.MANAGING:
            return True
        if type(function) is _CACHED and defined in _CACHEABLE:
            inner: Any = getattr(function, "__wrapped__", None)
            return type(inner) is FunctionType and getattr(inner, "__builtins__", None) is self._builtins
        if type(function) is types.MethodDescriptorType and function.__objclass__ in _UNCHANGING:
            return True  # as in `__repr__ = str.upper`
        if issubclass(made, tuple) and defined == "__new__":
            return True  # typing lets no class in its notation define it
        return issubclass(made, enum.Enum) and (defined == "__new_member__" or type(function) in _OF_ENUMS)

    def adopt(self, made: Any) -> Any:
        """Makes a class that a library created for the script (``namedtuple``, ``dataclass``) the script's own."""
        if isinstance(made, type):
            self._own.add(made)
            library.hide_memory(made)
        return made

    def adopting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a function or decorator of a library that creates classes, which become the script's own."""

        def called(*args: Any, **kwargs: Any) -> Any:
            for one in args[:1]:
                self._check_own(one)
            made = function(*args, **kwargs)
            return self.adopt(made) if isinstance(made, type) else self.adopting(made)

        called.__name__ = called.__qualname__ = function.__name__
        return called

    def only_own(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Wraps a decorator of a library that changes classes, which have to be the script's own."""

        def called(cls: Any, /) -> Any:
            self._check_own(cls)
            return function(cls)

        called.__name__ = called.__qualname__ = function.__name__
        return called

    def _check_own(self, cls: Any) -> None:
        if isinstance(cls, type) and cls not in self._own:
            raise TypeError(f"{cls.__name__} is not a class of this script.")

    def _is_own(self, cls: type) -> bool:
        """Whether a class is the script's; one whose statement is being executed is from the moment that it is used."""
        if cls in self._own:
            return True
        if (
            self._building
            and cls not in ENUMS
            and (type(cls) is type(library.Enum) or any(base in self._own for base in type.mro(cls)))
        ):
            self._own.add(cls)
            return True
        return False

    def _may_be_derived_from(self, base: type) -> bool:
        return (
            issubclass(base, Exception)
            or base in ENUMS
            or base in _PLAIN_DATA
            or ":class" in self._types.get(key(base), ())
        )


def is_fixed(cls: type, name: str) -> bool:
    """Whether a class of plain data may not have its own attribute of this name, which guards rely on."""
    for data, free in _PLAIN_DATA.items():
        if issubclass(cls, data) and name in data.__dict__ and name not in free:
            return True
    return issubclass(cls, tuple) and name in _OF_TUPLES


_OF_TUPLES = frozenset({"__contains__", "__eq__", "__getitem__", "__hash__", "__iter__", "__len__"})
_SHOWN = frozenset({
    "__doc__", "__format__", "__getnewargs__", "__init__", "__new__", "__reduce_ex__", "__repr__", "__str__",
})  # fmt: skip
_PLAIN_DATA: dict[type, frozenset[str]] = {
    int: _SHOWN,
    str: _SHOWN,
    float: _SHOWN,
    list: _SHOWN,
    dict: _SHOWN,
    set: _SHOWN,
}
"""Types of data whose values the guards look at, with what a class derived from one may define itself. All the rest is
as C has it: a guard, and a function of Blender's after it, see the same items."""
_TYPING = frozenset(
    base for name in ("NamedTuple", "TypedDict") for base in types.resolve_bases((getattr(typing, name),))
)
"""What classes in the notation of `typing` are derived from."""
_CACHED = type(functools.cache(len))
_CACHEABLE = frozenset({"__bool__", "__call__", "__hash__", "__len__", "__repr__", "__str__"})
"""Methods whose values a script may cache: what C does with them runs nothing."""
_UNCHANGING = frozenset({bytes, complex, float, frozenset, int, str, tuple})
"""Types whose methods change nothing."""
_OF_INSTANCES = (types.GetSetDescriptorType, types.MemberDescriptorType, type(None))
"""What a class has for the dictionary and the slots of its instances; None takes a method away."""
_OF_ENUMS = (types.WrapperDescriptorType, types.BuiltinFunctionType, types.MethodDescriptorType)
ENUMS = frozenset({library.Enum, library.IntEnum, library.Flag, library.IntFlag, library.StrEnum})
