# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts guards into a checked script, where Blender multiplies a number; elsewhere it runs as it was written."""

from __future__ import annotations

import ast
from typing import Any, TypeGuard

STORE, BOUNDED, METHOD, PIXELS, RANGE, FORMAT, FORMAT_OF, WITH = (
    "__geonode_store__",
    "__geonode_bounded__",
    "__geonode_method__",
    "__geonode_pixels__",
    "__geonode_range__",
    "__geonode_format__",
    "__geonode_format_of__",
    "__geonode_with__",
)
"""Names of the guards among the builtins of a script. It cannot write them: two underscores are refused."""


def instrumented(source: str, bounds: dict[str, int], methods: frozenset[str]) -> ast.Module:
    """The tree of a checked script with its guards. Places of lines and columns stay as they are."""
    tree = ast.parse(source, "<script>")
    plain = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    plain |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    plain |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return ast.fix_missing_locations(_Guarding(bounds, methods, "range" not in plain, _own_sets(tree)).visit(tree))


def _own_sets(tree: ast.Module) -> frozenset[str]:
    """Names that are bound only to Python's own sets, whose ``add`` is no count."""
    sets: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = node.value
            is_set = isinstance(value, ast.Set | ast.SetComp) or (
                isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "set"
            )
            for target in targets:
                if isinstance(target, ast.Name):
                    (sets if is_set else others).add(target.id)
                else:
                    others.update(
                        n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                    )
        elif isinstance(node, ast.For | ast.comprehension):
            others.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.arg):
            others.add(node.arg)
        elif isinstance(node, ast.NamedExpr | ast.AugAssign) and isinstance(node.target, ast.Name):
            others.add(node.target.id)
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            others.add(node.name)
    return frozenset(sets - others)


class _Guarding(ast.NodeTransformer):
    def __init__(self, bounds: dict[str, int], methods: frozenset[str], own_range: bool, sets: frozenset[str]) -> None:
        self._bounds = bounds
        self._methods = methods
        self._range = own_range
        self._sets = sets
        self._numbers = 0

    # -- `x.levels = n`: the guard stores. A target inside a tuple is first bound to a name of ours.

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if (
            len(node.targets) == 1
            and self._is_bounded(node.targets[0])
            and not _small(node.value, self._bounds, node.targets[0])
        ):
            return ast.copy_location(self._stored(node.targets[0], node.value), node)
        after: list[ast.stmt] = []
        node.targets = (
            [self._replaced(target, after) for target in node.targets] if not _constant(node.value) else node.targets
        )
        return [node, *after] if after else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if node.value is not None and self._is_bounded(node.target):
            return ast.copy_location(self._stored(node.target, node.value), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        target: ast.expr = node.target
        if not self._is_bounded(target):
            return node
        # The object is looked up once.
        holder = self._name()
        keep = ast.Assign([ast.Name(holder, ast.Store())], target.value)
        read = ast.Attribute(ast.Name(holder, ast.Load()), target.attr, ast.Load())
        result = ast.BinOp(read, node.op, node.value)
        kept = ast.Attribute(ast.Name(holder, ast.Load()), target.attr, ast.Store())
        return [ast.copy_location(one, node) for one in (keep, self._stored(kept, result))]

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self._plain_range(node.iter)
        self.generic_visit(node)
        after: list[ast.stmt] = []
        node.target = self._replaced(node.target, after)
        node.body = after + node.body
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.iter = self._plain_range(node.iter)
        self.generic_visit(node)
        return node

    # -- calls

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            for keyword in node.keywords:
                if keyword.arg in self._bounds and not _constant(keyword.value):
                    keyword.value = _call(BOUNDED, ast.Constant(keyword.arg), keyword.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr == "format" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(_call(FORMAT_OF, node.value), node)
        if node.attr == "pixels" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(_call(PIXELS, node.value), node)
        if node.attr in self._methods and isinstance(node.ctx, ast.Load) and not self._is_own(node.value):
            return ast.copy_location(_call(METHOD, node.value, ast.Constant(node.attr)), node)
        return node

    # -- `f"{x:{width}}"`: what the specification has become is looked at; `with x`: its end is in the hands of a guard.

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        self.generic_visit(node)
        if not isinstance(node.format_spec, ast.JoinedStr) or all(
            isinstance(part, ast.Constant) for part in node.format_spec.values
        ):
            return node
        value = node.value
        if node.conversion != -1:
            value = ast.FormattedValue(value, node.conversion, None)
            value = ast.JoinedStr([value])
        guarded = ast.copy_location(_call(FORMAT, value, node.format_spec), node)
        return ast.copy_location(ast.FormattedValue(guarded, -1, None), node)

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        after: list[ast.stmt] = []
        for item in node.items:
            item.context_expr = ast.copy_location(_call(WITH, item.context_expr), item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars = self._replaced(item.optional_vars, after)
        node.body = after + node.body
        return node

    # -- parts

    def _is_bounded(self, target: ast.expr) -> TypeGuard[ast.Attribute]:
        return isinstance(target, ast.Attribute) and target.attr in self._bounds

    def _is_own(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Name) and value.id in self._sets

    def _plain_range(self, value: ast.expr) -> ast.expr:
        """The loop itself can be stopped: it needs no guard, and no cost."""
        if (
            self._range
            and isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id == "range"
        ):
            value.func = ast.copy_location(ast.Name(RANGE, ast.Load()), value.func)
        return value

    def _stored(self, target: Any, value: ast.expr) -> ast.Expr:
        return ast.Expr(_call(STORE, value, target.value, ast.Constant(target.attr)))

    def _replaced(self, target: ast.expr, after: list[ast.stmt]) -> Any:
        if self._is_bounded(target):
            name = self._name()
            after.append(ast.copy_location(self._stored(target, ast.Name(name, ast.Load())), target))
            return ast.copy_location(ast.Name(name, ast.Store()), target)
        if isinstance(target, ast.Tuple | ast.List):
            target.elts = [self._replaced(each, after) for each in target.elts]
        elif isinstance(target, ast.Starred):
            target.value = self._replaced(target.value, after)
        return target

    def _name(self) -> str:
        self._numbers += 1
        return f"__geonode_{self._numbers}__"


def _constant(node: ast.AST) -> bool:
    """Whether the first check has seen the value: a number that is written out."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def _small(value: ast.expr, bounds: dict[str, int], target: Any) -> bool:
    """Whether a value needs no guard: a small number that is written out, or what is no whole number."""
    if not isinstance(value, ast.Constant):
        return target.attr == "default_value" and isinstance(value, ast.Tuple)
    if isinstance(value.value, int):
        return value.value <= min(bounds[target.attr], 2)
    return target.attr == "default_value" and not (isinstance(value.value, float) and value.value > 1000)


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])
