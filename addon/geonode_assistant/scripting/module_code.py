# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the statements of a script so that Python reads names in them as quickly as in a function.

In the code of a module Python looks each name up in up to three tables, the guards in all of them; in a function it
remembers where it was. So the statements become the body of a function all of whose names are global, and that body's
code runs as the module's. Names, tracebacks and qualified names stay as they were.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from . import bytecode_check

_FILE = "<script>"
_MAIN = "__geonode_main__"
_BINDING = frozenset({"STORE_NAME", "DELETE_NAME"})
_GLOBAL = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_OF_THE_COMPILER = frozenset({"__annotations__", "__annotate__", "__conditional_annotations__"})


def compiled(tree: ast.Module, plain: CodeType) -> CodeType:
    """The code of a tree with guards; ``plain`` is that of the same script without them."""
    if "dir" in plain.co_names:  # which shows the names of the module
        return compile(tree, _FILE, "exec", dont_inherit=True, optimize=0)
    futures = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    texts = any(alias.name == "annotations" for one in futures for alias in one.names)
    own = [one for one in tree.body if one not in futures]
    body = [kept for one in own for kept in _Statements(texts).listed(one)]
    bound = sorted(_bound(plain))
    if bound:
        body.insert(0, ast.Global(bound))
    nothing = ast.arguments([], [], None, [], [], None, [])
    main: Any = ast.FunctionDef(_MAIN, nothing, body or [ast.Pass()], [], None, None)
    main.type_params, main.lineno, main.col_offset = [], 1, 0
    module = compile(
        ast.fix_missing_locations(ast.Module([*futures, main], [])), _FILE, "exec", dont_inherit=True, optimize=0
    )
    [code] = [one for one in module.co_consts if isinstance(one, CodeType)]
    return code.replace(co_name="<module>", co_qualname="<module>")


def _bound(plain: CodeType) -> set[str]:
    """The names that a script binds in its module."""
    found = {name for kind, name in bytecode_check.named(plain) if kind in _BINDING}
    for code in bytecode_check.codes(plain):
        found.update(name for kind, name in bytecode_check.named(code) if kind in _GLOBAL)
    return found - _OF_THE_COMPILER


class _Statements(ast.NodeTransformer):
    """Statements of a module that would mean something else in a function; what lies in functions and classes stays."""

    def __init__(self, texts: bool) -> None:
        """``texts``: annotations are not evaluated."""
        self._texts = texts

    def listed(self, node: ast.stmt) -> list[ast.stmt]:
        """What becomes of one statement."""
        found: Any = self.visit(node)
        return found if isinstance(found, list) else [found]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_Global(self, node: ast.Global) -> Any:
        return ast.copy_location(ast.Pass(), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """A function may not annotate a global name; nothing reads the annotations of a module."""
        made: list[ast.stmt] = [] if node.value is None else [ast.Assign([node.target], node.value)]
        if not self._texts:
            made.append(ast.Expr(node.annotation))
        return [ast.copy_location(one, node) for one in made or [ast.Pass()]]
