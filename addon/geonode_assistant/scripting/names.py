# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that a script finds without binding them: a small table instead of Python's builtins."""

from __future__ import annotations

import builtins
from typing import Any

from . import guards, instrument, managed, policy, sizes
from .modules import Importer
from .output import Output


def table(own: frozenset[str], output: Output) -> dict[str, Any]:
    """The builtins of one script: what the policy lists, with guards in place of what could harm."""
    allowed = policy.policy()
    names = {name: getattr(builtins, name) for name in allowed.builtins if hasattr(builtins, name)}
    attributes = guards.Attributes(own)
    return {
        **names,
        "__build_class__": builtins.__build_class__,
        "__import__": Importer(attributes, output),
        "super": super,
        "type": guards.type_of,
        "getattr": attributes.getattr,
        "hasattr": attributes.hasattr,
        "setattr": attributes.setattr,
        "delattr": attributes.delattr,
        "format": guards.formatted,
        "iter": guards.iterated,
        "print": output.print,
        "range": guards.range_of,
        "round": guards.rounded,
        instrument.STORE: _store,
        instrument.BOUNDED: sizes.bounded,
        instrument.METHOD: sizes.method,
        instrument.PIXELS: sizes.pixels,
        instrument.RANGE: range,
        instrument.FORMAT: guards.formatted,
        instrument.FORMAT_OF: guards.format_of,
        instrument.WITH: managed.managed,
    }


def _store(value: Any, thing: Any, name: str) -> None:
    """``thing.name = value``, in the order in which Python looks at them."""
    sizes.store(thing, name, value)
