# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script uses through other means than plain calls of guards, recorded: targets, operators, contexts.

The recorder is passed in; names with two underscores on both sides are out of a script's reach.
"""

from __future__ import annotations

import ast
from typing import Any

from . import instrument


class Touching(ast.NodeTransformer):
    """Adds a call of ``name`` after each `v += 1`: a vector of the file changes where it is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if not isinstance(node.target, ast.Name) or node.target.id == instrument.PART:
            return node  # a part is stored where it belongs
        name = ast.Name(node.target.id, ast.Load())
        call = ast.Expr(ast.Call(ast.Name(self._name, ast.Load()), [name], []))
        return [node, ast.copy_location(call, node)]


class At:
    """The attributes of an object as targets."""

    __slots__ = ("__guards__", "__of__", "__recorder__")

    def __init__(self, recorder: Any, native: dict[str, Any], thing: Any) -> None:
        self.__recorder__, self.__guards__, self.__of__ = recorder, native, thing

    def __getitem__(self, name: str) -> Any:
        return self.__recorder__.load(self.__of__, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.__recorder__.store(value, self.__of__, name)

    def __delitem__(self, name: str) -> None:
        del self.__guards__["at"](self.__of__)[name]


class In:
    """The items of an object as targets."""

    __slots__ = ("__guards__", "__of__", "__recorder__")

    def __init__(self, recorder: Any, native: dict[str, Any], thing: Any) -> None:
        self.__recorder__, self.__guards__, self.__of__ = recorder, native, thing

    def __getitem__(self, key: Any) -> Any:
        return self.__recorder__.item(self.__of__, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.__recorder__.store_item(value, self.__of__, key)

    def __delitem__(self, key: Any) -> None:
        def act() -> None:
            del self.__guards__["inside"](self.__of__)[key]

        self.__recorder__.delete_item(self.__of__, key, act)


class Operator:
    """An operator of `bpy.ops` that is recorded when it is called."""

    __slots__ = ("__name__", "__real__", "__recorder__")

    def __init__(self, recorder: Any, name: str, real: Any) -> None:
        self.__recorder__, self.__name__, self.__real__ = recorder, name, real

    def poll(self, *args: Any) -> bool:
        """Whether it can be called here."""
        return self.__real__.poll(*args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__recorder__.call_operator(self.__name__, self.__real__, args, kwargs)


class Within:
    """A context of Blender's, recorded when it is entered and left."""

    __slots__ = ("__inner__", "__of__", "__recorder__")

    def __init__(self, recorder: Any, thing: Any, inner: Any) -> None:
        self.__recorder__, self.__of__, self.__inner__ = recorder, thing, inner

    def __enter__(self) -> Any:
        self.__recorder__.pass_border(self.__of__, "enter")
        return self.__inner__.__enter__()

    def __exit__(self, *how: Any) -> Any:
        self.__recorder__.pass_border(self.__of__, "exit")
        return self.__inner__.__exit__(*how)
