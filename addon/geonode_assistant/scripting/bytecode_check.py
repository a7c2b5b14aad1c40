# SPDX-License-Identifier: GPL-3.0-or-later
"""The second check: compares the code that CPython compiles from a script with the lists that the core's rules use.

The core checks its own parse of a text; this module checks the code that will run. It does not consider where a name is
used, as the first check does: it makes sure that no name, attribute, import, constant or kind of code occurs that is
not listed, so that a difference between the two parsers cannot be exploited.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from types import CodeType, EllipsisType

from .errors import policy_error
from .policy import READABLE, Policy

# Names that Python itself adds to code; a script cannot contain them.
_OF_THE_COMPILER = frozenset({
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__build_class__",
    "__class__",
    "__classcell__",
    "__classdict__",
    "__classdictcell__",
    "__conditional_annotations__",
    "__doc__",
    "__firstlineno__",
    "__module__",
    "__name__",
    "__qualname__",
    "__static_attributes__",
    "__type_params__",
})  # fmt: skip
_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
_CONSTANTS = (bool, int, float, complex, str, bytes, tuple, frozenset, slice, EllipsisType, type(None), CodeType)
_INPUT = re.compile(r"Socket_\d{1,4}\Z")  # of a modifier, from 5.2 on
# Instructions that no script needs. Instructions on names are judged by the name.
_REFUSED = frozenset({
    "ASYNC_GEN_WRAP",
    "BEFORE_ASYNC_WITH",
    "BUILD_INTERPOLATION",
    "BUILD_TEMPLATE",
    "CHECK_EG_MATCH",
    "END_ASYNC_FOR",
    "GET_AITER",
    "GET_ANEXT",
    "GET_AWAITABLE",
    "IMPORT_STAR",
    "PREP_RERAISE_STAR",
})  # fmt: skip
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR"})
_NAMES = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_FROM_DICT_OR_DEREF"})
_EXTENDED = dis.EXTENDED_ARG
# 3.12 and later: star imports, `except*` and async generators are one instruction with a number.
_INTRINSICS = {name: number for number, name in enumerate(getattr(dis, "_intrinsic_1_descs", ()))}
_REFUSED_INTRINSICS = frozenset(
    _INTRINSICS[name] for name in ("INTRINSIC_IMPORT_STAR", "INTRINSIC_ASYNC_GEN_WRAP") if name in _INTRINSICS
)


def check(code: CodeType, policy: Policy, own: frozenset[str]) -> None:
    """Raises ``PolicyError`` with ``script_mismatch`` for code that contains anything that is not listed.

    ``own`` are the attributes that the script gives to its own objects.
    """
    every = list(codes(code))
    bound = {"__name__"}
    for one in every:
        bound.update(one.co_varnames, one.co_cellvars)
        bound.update(name for kind, name in named(one) if kind.startswith("STORE_") and kind != "STORE_ATTR")
    attributes = policy.attributes | own
    for one in every:
        _check_one(one, policy, attributes, bound)


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code and all code within it."""
    waiting = [code]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]


def _check_one(code: CodeType, policy: Policy, attributes: frozenset[str], bound: set[str]) -> None:
    if code.co_flags & _ASYNC:
        _refuse(code, "async code")
    for constant in code.co_consts:
        _check_constant(code, constant, policy.integer_bits)
    for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        if name.startswith("__") and name not in _OF_THE_COMPILER and name not in policy.methods:
            _refuse(code, f"the name {name}")
    module = ""
    for kind, name in named(code):
        if kind == "MATCH_CLASS":
            # The attributes that a pattern reads are in a tuple.
            fine = not any(text.startswith("_") for text in _texts(code) if text not in attributes)
        elif kind in _ATTRIBUTES:
            fine = name in attributes or _INPUT.match(name) is not None
            fine = fine or kind == "LOAD_ATTR" and any(name in names for names in READABLE.values())
            fine = fine or name == "__class__" and _is_for_members(code)
            fine = fine and (kind in {"LOAD_ATTR", "LOAD_METHOD"} or not name.startswith("__"))
        elif kind in _NAMES:
            fine = name in bound or name in policy.builtins or name in policy.called_only or name in _OF_THE_COMPILER
        elif kind == "IMPORT_NAME":
            module = name
            fine = name in policy.modules
        elif kind == "IMPORT_FROM":
            # `import a.b as c` reads b from a; IMPORT_NAME judges the whole import.
            fine = name in policy.modules.get(module, ()) or module.endswith(f".{name}") or f".{name}." in module
        elif kind in _REFUSED:
            fine = False
        else:
            fine = not name.startswith("__") or name in policy.methods or name in _OF_THE_COMPILER
        if not fine:
            _refuse(code, f"{kind} {name}".strip())


def _check_constant(code: CodeType, constant: object, bits: int) -> None:
    if not isinstance(constant, _CONSTANTS):
        _refuse(code, f"a constant of the type {type(constant).__name__}")
    if isinstance(constant, int) and constant.bit_length() > bits:
        _refuse(code, "an enormous number")
    if isinstance(constant, tuple | frozenset):
        for each in constant:
            _check_constant(code, each, bits)


def _is_for_members(code: CodeType) -> bool:
    """Whether each `x.__class__` is called, or a member of it is read or set, which the guards decide by the class."""
    steps = [one for one in dis.get_instructions(code) if one.opname != "EXTENDED_ARG"]
    for step, following in itertools.pairwise([*steps, steps[-1]]):
        if step.opname in _ATTRIBUTES and step.argval == "__class__":
            called = step.opname == "LOAD_METHOD" or sys.version_info >= (3, 12) and (step.arg or 0) & 1
            if not called and following.opname not in _MEMBERS:
                return False
    return True


_MEMBERS = frozenset({"COPY", "LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"})


def _texts(code: CodeType) -> Iterator[str]:
    """The texts in constant tuples."""
    for constant in code.co_consts:
        if isinstance(constant, tuple):
            yield from (each for each in constant if isinstance(each, str))


def named(code: CodeType) -> Iterator[tuple[str, str]]:
    """Each instruction that acts on a name of ``co_names``, and each of the refused kinds, with the name or ''."""
    names, raw, argument = code.co_names, code.co_code, 0
    for at in range(0, len(raw), 2):
        operation = raw[at]
        argument = argument << 8 | raw[at + 1]
        if operation == _EXTENDED:
            continue
        kind = _TABLE[operation]
        if kind is not None:
            shown, shift = kind
            if shift is None:
                if shown != "CALL_INTRINSIC_1" or argument in _REFUSED_INTRINSICS:
                    yield "MATCH_CLASS" if shown == "MATCH_CLASS" else "IMPORT_STAR", ""
            else:
                yield shown, names[argument >> shift]
        argument = 0


def _shift(name: str) -> int:
    """How many low bits of the argument are flags of the instruction."""
    if name == "LOAD_GLOBAL":
        return 1
    if name == "LOAD_ATTR":
        return 1 if sys.version_info >= (3, 12) else 0
    if name == "LOAD_SUPER_ATTR":
        return 2
    return 2 if name == "IMPORT_NAME" and sys.version_info >= (3, 15) else 0


def _table() -> list[tuple[str, int | None] | None]:
    table: list[tuple[str, int | None] | None] = [None] * 256
    for name, number in dis.opmap.items():
        if number >= 256:
            continue
        if name in _REFUSED or name in {"CALL_INTRINSIC_1", "MATCH_CLASS"}:
            table[number] = (name, None)
        elif number in dis.hasname:
            table[number] = ("LOAD_ATTR" if name == "LOAD_SUPER_ATTR" else name, _shift(name))
    return table


_TABLE = _table()


def _refuse(code: CodeType, what: str) -> None:
    raise policy_error(
        "script_mismatch",
        f"Python compiles this script differently from what was checked: {what} in {code.co_name}. It was not run.",
        line=code.co_firstlineno,
    )
