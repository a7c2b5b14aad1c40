# SPDX-License-Identifier: GPL-3.0-or-later
"""Inserts guards into a checked script: every attribute, item and call goes through one (``membrane``).

Plain local names need none, and neither do members of modules, which were created for the script with listed members
only. Where Python assigns to a target (a loop, a comprehension, `with`, unpacking, `+=`, `del`), the target is replaced
by an item of a guard.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from . import patterns
from .removals import ASKED as MAY_BE_ASKED

LOAD, ITEM, STORE, STORE_ITEM, CALL, AT, INSIDE, BOUNDED, RANGE, FORMAT, WITH, ASKED, PRODUCT, INTO_PRODUCT, FACTOR, \
    SOCKET, STORE_SOCKET, SEND, DELEGATED, PERCENT, CONSENTED = (
    f"__geonode_{name}__"
    for name in (
        "load", "item", "store", "store_item", "call", "at", "inside", "bounded", "range", "format", "with",
        "asked", "product", "into_product", "factor", "socket", "store_socket",
        "send", "delegated", "percent", "consented",
    )
)  # fmt: skip
"""Names of the guards among the builtins of a script, which cannot use them itself: two underscores are refused."""
OF, KEY, PART = (f"__geonode_{name}__" for name in ("of", "key", "part"))
"""Local names for the parts of ``x.a += 1`` and ``x[k] += 1``."""
KINDS, OBJECT = "__geonode_kinds__", "__geonode_object__"
_LITERALS = (ast.Constant, ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def instrumented(
    source: str,
    bounds: frozenset[str],
    modules: frozenset[str],
    members: frozenset[str],
    own: frozenset[str] = frozenset(),
    asked: frozenset[int] = frozenset(),
) -> ast.Module:
    """The syntax tree of a checked script with guards; lines and columns are unchanged.

    ``bounds``: arguments that are checked. ``modules``: full names. ``members``: attributes that may be read from
    literals. ``own``: attributes that the script gives to its own objects. ``asked``: lines whose removals the artist
    was asked about.
    """
    tree = ast.parse(source, "<script>")
    return ast.fix_missing_locations(_Guarding(tree, bounds, modules, members, own, asked).visit(tree))


class _Names:
    """How the names of a script are bound."""

    def __init__(self, tree: ast.Module, modules: frozenset[str]) -> None:
        self.modules: dict[str, str] = {}
        """Names of modules, with the module's full name."""
        self.classes: set[str] = set()
        """Names that are bound by class statements only."""
        self.fixed: set[str] = set()
        """Names that are bound by `def`, `class` and `from … import` only."""
        self.blenders: set[str] = set()
        """Names of Blender's types."""
        other = set(_bound(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    full = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.modules[alias.asname or full] = full
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full, name = f"{node.module}.{alias.name}", alias.asname or alias.name
                    if node.module == "bpy.types":
                        self.blenders.add(name)
                    if full in modules:
                        self.modules[name] = full
                    else:
                        self.fixed.add(name)
            elif isinstance(node, ast.ClassDef):
                self.classes.add(node.name)
            elif isinstance(node, ast.FunctionDef):
                self.fixed.add(node.name)
        imported = self.fixed | set(self.modules)
        self.modules = {name: full for name, full in self.modules.items() if name not in other | self.classes}
        self.classes -= other | imported
        self.fixed = (self.fixed | self.classes) - other - set(self.modules)
        self.other = other | imported | self.classes


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that are bound otherwise than by `def`, `class` and imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case _ if node.__class__.__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
                yield node.name  # type: ignore[attr-defined]


class _Guarding(ast.NodeTransformer):
    def __init__(
        self,
        tree: ast.Module,
        bounds: frozenset[str],
        modules: frozenset[str],
        members: frozenset[str],
        own: frozenset[str],
        asked: frozenset[int],
    ) -> None:
        self._conditions = patterns.Conditions(self.visit)
        self._asked = asked
        self._bounds = bounds
        self._modules = modules
        self._members = members
        self._own = own
        self._names = _Names(tree, modules)
        self._within: list[str] = []
        self._in_class_body = False
        self._texts = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "annotations" for alias in node.names)
            for node in tree.body
        )
        """Whether annotations are strings, which are not evaluated."""

    # -- attributes and items

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.ctx, ast.Load) and (module := self._module(node.value)) is not None:
            return self._removing(node) if module.startswith(("bpy.ops.", "bmesh.ops")) else node
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            if isinstance(node.value, _LITERALS) and node.attr in self._members:
                return node
            asked = node.attr in MAY_BE_ASKED and node.lineno in self._asked
            return _at(node, _call(ASKED if asked else LOAD, node.value, self._name(node.attr)))
        return _at(node, ast.Subscript(_call(AT, node.value), self._name(node.attr), node.ctx))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        positional = _is_position(node)
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            if isinstance(node.value, _LITERALS):
                return node
            return _at(node, _call(SOCKET if positional else ITEM, node.value, _key(node.slice)))
        return _at(node, ast.Subscript(_call(INSIDE, node.value), node.slice, node.ctx))

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Attribute | ast.Subscript):
            return self.generic_visit(node)
        return _at(node, self._stored(target, self.visit(node.value)))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if not self._texts:
            node.annotation = self.visit(self._without_blenders(node.annotation))
        if node.value is not None:
            node.value = self.visit(node.value)
        if isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return _at(node, ast.Pass())
        return _at(node, self._stored(node.target, node.value))

    def _stored(self, target: ast.Attribute | ast.Subscript, value: ast.expr) -> ast.Expr:
        if isinstance(target, ast.Attribute) and target.attr == "default_value" and _is_position(target.value):
            place: Any = target.value
            return ast.Expr(_call(STORE_SOCKET, value, self.visit(place.value), _key(self.visit(place.slice))))
        of = self.visit(target.value)
        if isinstance(target, ast.Attribute):
            return ast.Expr(_call(STORE, value, of, self._name(target.attr)))
        return ast.Expr(_call(STORE_ITEM, value, of, _key(self.visit(target.slice))))

    # -- calls

    def _removing(self, node: ast.expr) -> ast.expr:
        """An operator that may remove data where the artist was asked about the line."""
        return _at(node, _call(CONSENTED, node)) if node.lineno in self._asked else node

    def visit_Call(self, node: ast.Call) -> Any:
        by_text = isinstance(node.func, ast.Name) and node.func.id == "getattr"
        return self._removing(self._called(node)) if by_text else self._called(node)

    def _called(self, node: ast.Call) -> ast.Call:
        node.func = self._callee(node.func)
        node.args = [self.visit(one) for one in node.args]
        for keyword in node.keywords:
            fixed = _constant(keyword.value)
            keyword.value = self.visit(keyword.value)
            if keyword.arg in self._bounds and not fixed:
                keyword.value = _call(BOUNDED, ast.Constant(keyword.arg), keyword.value)
        return self._sent(node)

    def _sent(self, node: ast.Call) -> ast.Call:
        """``x.append(1)`` in one step, unless the method may be the script's own: Python calls its functions faster."""
        match node.func:
            case ast.Call(func=ast.Name(id=guard), args=[of, ast.Constant(value=str(name))]) if guard == LOAD:
                if name in self._own or name.startswith("_"):
                    return node
                sent = _call(SEND, ast.Constant(name), of, *node.args)
                sent.keywords = node.keywords
                return _at(node, sent)
        return node

    def _callee(self, function: ast.expr) -> ast.expr:
        if isinstance(function, ast.Name):
            free = function.id in self._names.other and function.id not in self._names.fixed
            return _at(function, _call(CALL, function)) if free else function
        visited = self.visit(function)
        # A value read from an attribute has passed the guard of its object; a class may be read that may not be called.
        passed = (
            isinstance(function, ast.Lambda) or isinstance(function, ast.Attribute) and function.attr != "__class__"
        )
        return visited if passed else _at(function, _call(CALL, visited))

    def _decorators(self, node: Any) -> None:
        node.decorator_list = [self._callee(one) for one in node.decorator_list]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self._decorators(node)
        self._annotated(node)
        node.body = self._body(node.body, in_class=False)
        return node

    def _body(self, statements: list[ast.stmt], in_class: bool) -> list[Any]:
        outside, self._in_class_body = self._in_class_body, in_class
        found = [kept for one in statements for kept in _statements(self.visit(one))]
        self._in_class_body = outside
        return found

    def _annotated(self, node: ast.FunctionDef) -> None:
        arguments = node.args
        arguments.defaults = [self.visit(one) for one in arguments.defaults]
        arguments.kw_defaults = [one and self.visit(one) for one in arguments.kw_defaults]
        # No script can read the annotations of a function.
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        for one in every:
            if one is not None:
                one.annotation = None
        node.returns = None

    def _without_blenders(self, annotation: ast.expr) -> ast.expr:
        """An annotation with `object` for each type of Blender's, which an operator in it would hand to the script."""
        names, module = self._names.blenders, self._module

        class Replacing(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> Any:
                return _at(node, ast.Name(OBJECT, ast.Load())) if node.id in names else node

            def visit_Attribute(self, node: ast.Attribute) -> Any:
                if module(node.value) == "bpy.types" or module(node) == "bpy.types":
                    return _at(node, ast.Name(OBJECT, ast.Load()))
                return self.generic_visit(node)

        made: ast.expr = Replacing().visit(annotation)
        return made

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self._decorators(node)
        node.bases = [self.visit(one) for one in node.bases]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        self._within.append(node.name)
        node.body = self._body(node.body, in_class=True)
        self._within.pop()
        return node

    # -- products of matrices, which nothing can stop

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        formats = isinstance(node.left, ast.Name) and isinstance(node.right, ast.Tuple | ast.Dict)
        self.generic_visit(node)
        if formats and isinstance(node.op, ast.Mod):
            return _at(node, _call(PERCENT, node.left, node.right))
        return _at(node, _call(PRODUCT, node.left, node.right)) if isinstance(node.op, ast.MatMult) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        if isinstance(target, ast.Attribute | ast.Subscript) and not self._in_class_body:
            if not isinstance(node.op, ast.MatMult):
                return self._changed_part(node, target)
        self.generic_visit(node)
        if not isinstance(node.op, ast.MatMult):
            return node
        if isinstance(target, ast.Name):
            made = _call(INTO_PRODUCT, _at(target, ast.Name(target.id, ast.Load())), node.value)
            return _at(node, ast.Assign([target], _at(node, made)))
        node.value = _at(node.value, _call(FACTOR, node.value))
        return node

    def _changed_part(self, node: ast.AugAssign, target: ast.Attribute | ast.Subscript) -> list[ast.stmt]:
        """``x.a += 1`` as a load, an addition and a store, with the parts in local names, which a class body lacks."""
        names = [OF, PART]
        made: list[ast.stmt] = [_assigned(OF, self.visit(target.value))]
        if isinstance(target, ast.Attribute):
            part: ast.expr = self._name(target.attr)
            load, store = LOAD, STORE
        else:
            names.append(KEY)
            made.append(_assigned(KEY, _key(self.visit(target.slice))))
            part = ast.Name(KEY, ast.Load())
            load, store = ITEM, STORE_ITEM
        of = ast.Name(OF, ast.Load())
        made += [
            _assigned(PART, _call(load, of, part)),
            ast.AugAssign(ast.Name(PART, ast.Store()), node.op, self.visit(node.value)),
            ast.Expr(_call(store, ast.Name(PART, ast.Load()), of, part)),
            ast.Assign([ast.Name(name, ast.Store()) for name in names], ast.Constant(None)),
        ]
        return [_at(node, one) for one in made]

    # -- comparisons of types

    def visit_Compare(self, node: ast.Compare) -> Any:
        sides = [node.left, *node.comparators]
        looked_at = set()
        for place, how in enumerate(node.ops):
            one, other = (_is_type_of(side) for side in sides[place : place + 2])
            if one and not other and not isinstance(how, ast.Is | ast.IsNot):
                looked_at.add(place + 1)
            elif other and not one and not isinstance(how, ast.Is | ast.IsNot | ast.In | ast.NotIn):
                looked_at.add(place)
        self.generic_visit(node)
        for place in looked_at:
            if place == 0:
                node.left = _at(node, _call(KINDS, node.left))
            else:
                node.comparators[place - 1] = _at(node, _call(KINDS, node.comparators[place - 1]))
        return node

    # -- loops over plain ranges, texts with a computed width, `with`

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self._plain_range(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.iter = self._plain_range(node.iter)
        return self.generic_visit(node)

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
        guarded = _at(node, _call(FORMAT, value, node.format_spec))
        return _at(node, ast.FormattedValue(guarded, -1, None))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        self.generic_visit(node)
        node.value = _at(node.value, _call(DELEGATED, node.value))
        return node

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        for item in node.items:
            item.context_expr = _at(item.context_expr, _call(WITH, item.context_expr))
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        return self._conditions.translated(
            node, lambda body: [kept for one in body for kept in _statements(self.visit(one))]
        )

    # -- parts

    def _module(self, value: ast.expr) -> str | None:
        """The full name of the module that an expression is."""
        if isinstance(value, ast.Name):
            return self._names.modules.get(value.id)
        if not isinstance(value, ast.Attribute):
            return None
        outer = self._module(value.value)
        if outer is None:
            return None
        full = f"{outer}.{value.attr}"
        return full if full in self._modules or outer == "bpy.ops" else None

    def _plain_range(self, value: ast.expr) -> ast.expr:
        """Whether this is a call of `range` in a loop, which needs no guard, since the loop can be stopped."""
        if (
            "range" not in self._names.other
            and isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id == "range"
        ):
            value.func = _at(value.func, ast.Name(RANGE, ast.Load()))
        return value

    def _name(self, name: str) -> ast.Constant:
        """The name of an attribute, mangled with the class name if it is private to one, as Python does."""
        if name.startswith("__") and not name.endswith("__") and self._within:
            owner = self._within[-1].lstrip("_")
            name = f"_{owner}{name}" if owner else name
        return ast.Constant(name)


def _is_type_of(node: ast.expr) -> bool:
    """Whether this is `type(x)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _is_position(node: ast.AST) -> bool:
    """Whether this may be a socket by its position (`node.inputs[2]`)."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in ("inputs", "outputs")
        and not (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str))
        and not isinstance(node.slice, ast.Slice)
    )


def _statements(visited: Any) -> list[Any]:
    if visited is None:
        return []
    return visited if isinstance(visited, list) else [visited]


def _key(key: ast.expr) -> ast.expr:
    """The key of a subscript as an argument: a slice becomes a call of `slice`."""
    if isinstance(key, ast.Slice):
        parts = [part or ast.Constant(None) for part in (key.lower, key.upper, key.step)]
        return ast.Call(ast.Name(SLICE, ast.Load()), parts, [])
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_key(one) for one in key.elts], ast.Load())
    return key


SLICE = "__geonode_slice__"


def _constant(node: ast.AST) -> bool:
    """Whether the value is a literal number, which the first check has judged."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def _assigned(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _at(node: ast.AST, made: Any) -> Any:
    return ast.copy_location(made, node)


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])
