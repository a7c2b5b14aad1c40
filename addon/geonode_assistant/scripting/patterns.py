# SPDX-License-Identifier: GPL-3.0-or-later
"""``match`` as conditions with guards: Python itself reads attributes for patterns and their keys unguarded."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

SEQUENCE, MAPPING, CLASS = (f"__geonode_match_{name}__" for name in ("sequence", "mapping", "class"))
"""Names of the functions below among the builtins of a script."""
_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose only position in a pattern is the value itself."""


class Conditions:
    """Translates the ``match`` statements of one script."""

    def __init__(self, visit: Callable[[ast.expr], ast.expr]) -> None:
        """``visit`` puts guards into an expression."""
        self._visit = visit
        self._count = 0
        self._captured: dict[str, str] = {}

    def translated(self, node: ast.Match, body: Callable[[list[ast.stmt]], list[ast.stmt]]) -> list[ast.stmt]:
        """The statement as assignments and conditions. ``body`` puts guards into statements."""
        subject = self._fresh()
        first: list[ast.stmt] = [ast.Assign([_name(subject, ast.Store())], self._visit(node.subject))]
        orelse: list[ast.stmt] = []
        for case in reversed(node.cases):
            self._captured = {}
            tests = [self._test(case.pattern, subject)]
            if self._captured:
                # Names are bound once all of the pattern fits.
                bound = [ast.NamedExpr(_name(name, ast.Store()), _name(held)) for name, held in self._captured.items()]
                tests.append(_true_after(bound))
            if case.guard is not None:
                tests.append(self._visit(case.guard))
            orelse = [ast.If(_all(tests), body(case.body), orelse)]
        return [ast.copy_location(one, node) for one in (*first, *orelse)]

    def _fresh(self) -> str:
        self._count += 1
        return f"__geonode_match_{self._count}__"

    def _test(self, pattern: ast.pattern, subject: str) -> ast.expr:
        """Whether what the name ``subject`` refers to fits."""
        match pattern:
            case ast.MatchValue(value=value):
                return ast.Compare(_name(subject), [ast.Eq()], [self._visit(value)])
            case ast.MatchSingleton(value=value):
                return ast.Compare(_name(subject), [ast.Is()], [ast.Constant(value)])
            case ast.MatchAs(pattern=inner, name=name):
                tests = [] if inner is None else [self._test(inner, subject)]
                if name is not None:
                    tests.append(self._capture(name, _name(subject)))
                return _all(tests)
            case ast.MatchOr(patterns=patterns):
                return ast.BoolOp(ast.Or(), [self._test(one, subject) for one in patterns])
            case ast.MatchSequence(patterns=patterns):
                return self._sequence(patterns, subject)
            case ast.MatchMapping(keys=keys, patterns=patterns, rest=rest):
                asked = ast.Tuple([self._visit(key) for key in keys], ast.Load())
                found = _call(MAPPING, _name(subject), asked, ast.Constant(rest is not None))
                return self._parts(found, patterns, rest)
            case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=named):
                wanted = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
                found = _call(CLASS, _name(subject), self._visit(cls), ast.Constant(len(patterns)), wanted)
                return self._parts(found, [*patterns, *named])
        raise SyntaxError(f"unknown pattern {type(pattern).__name__}")

    def _sequence(self, patterns: list[ast.pattern], subject: str) -> ast.expr:
        star = next((place for place, one in enumerate(patterns) if isinstance(one, ast.MatchStar)), None)
        count = ast.Constant(len(patterns))
        found = _call(SEQUENCE, _name(subject), count, ast.Constant(star))
        plain = [ast.MatchAs(None, one.name) if isinstance(one, ast.MatchStar) else one for one in patterns]
        return self._parts(found, plain)

    def _parts(self, found: ast.expr, patterns: list[ast.pattern], rest: str | None = None) -> ast.expr:
        """Whether there are parts and each fits its pattern."""
        parts = self._fresh()
        tests: list[ast.expr] = [
            ast.Compare(ast.NamedExpr(_name(parts, ast.Store()), found), [ast.IsNot()], [ast.Constant(None)])
        ]
        for place, pattern in enumerate(patterns):
            part = self._fresh()
            taken = ast.Subscript(_name(parts), ast.Constant(place), ast.Load())
            tests.append(_true_after([ast.NamedExpr(_name(part, ast.Store()), taken)]))
            tests.append(self._test(pattern, part))
        if rest is not None:
            tests.append(self._capture(rest, ast.Subscript(_name(parts), ast.Constant(len(patterns)), ast.Load())))
        return _all(tests)

    def _capture(self, name: str, value: ast.expr) -> ast.expr:
        held = self._captured.setdefault(name, self._fresh())
        return _true_after([ast.NamedExpr(_name(held, ast.Store()), value)])


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(_name(name), list(args), [])


def _all(tests: list[ast.expr]) -> ast.expr:
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _true_after(values: list[Any]) -> ast.expr:
    """An expression that evaluates these and is true."""
    return ast.Subscript(ast.Tuple([*values, ast.Constant(True)], ast.Load()), ast.Constant(-1), ast.Load())


# -- what the conditions call


def functions(native: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The functions for a script with these guards."""
    load, is_instance = native["load"], native["isinstance"]

    def of_class(subject: Any, cls: Any, positions: int, names: tuple[str, ...]) -> list[Any] | None:
        if not isinstance(cls, type):
            raise TypeError("called match pattern must be a class")
        if not is_instance(subject, cls):
            return None
        found: list[Any] = []
        order = getattr(cls, "__match_args__", ())
        if positions and not order and issubclass(cls, _ITSELF):
            found.append(subject)
            order = ("",)
        elif positions:
            names = (*order[:positions], *names)
        if positions > len(order):
            accepts = f"accepts {len(order)} positional sub-patterns ({positions} given)"
            raise TypeError(f"{cls.__name__}() {accepts}")
        for name in names:
            if type(name) is not str:
                raise TypeError("__match_args__ elements must be strings")
            try:
                found.append(load(subject, name))
            except AttributeError:
                return None
        return found

    return {SEQUENCE: _sequence, MAPPING: _mapping, CLASS: of_class}


def _sequence(subject: Any, count: int, star: int | None) -> list[Any] | None:
    """As many parts as there are patterns, the one of the star being a list; None for anything else."""
    if not isinstance(subject, Sequence) or isinstance(subject, str | bytes | bytearray):
        return None
    length = len(subject)
    if star is None:
        return [subject[place] for place in range(count)] if length == count else None
    if length < count - 1:
        return None
    after = count - star - 1
    middle = [subject[place] for place in range(star, length - after)]
    first = [subject[place] for place in range(star)]
    return [*first, middle, *(subject[place] for place in range(length - after, length))]


_MISSING = object()


def _mapping(subject: Any, keys: tuple[Any, ...], rest: bool) -> list[Any] | None:
    if not isinstance(subject, Mapping):
        return None
    found = [subject.get(key, _MISSING) for key in keys]
    if any(one is _MISSING for one in found):
        return None
    if rest:
        left = dict(subject)
        for key in keys:
            del left[key]
        found.append(left)
    return found
