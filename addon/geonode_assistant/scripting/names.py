# SPDX-License-Identifier: GPL-3.0-or-later
"""The builtins of a script: a small table instead of Python's own."""

from __future__ import annotations

import atexit
import builtins
import gc
from typing import Any

from . import guards, instrument, methods, older, patterns, policy, products, removals, sizes, with_blocks
from .membrane import Membrane
from .modules import Importer
from .output import Output
from .recorder import Recorder


def table(own: frozenset[str], output: Output, recorder: Recorder | None = None) -> dict[str, Any]:
    """The builtins of one script: those that the policy lists, with guards instead of harmful ones. With a ``recorder``
    the guards tell it what passes them.

    Only the latest table is valid; its script must be the next one to run.
    """
    allowed = policy.policy()
    names = {name: getattr(builtins, name) for name in allowed.builtins if hasattr(builtins, name)}
    membrane = Membrane(own)
    native = membrane.guards if recorder is None else recorder.around(membrane.guards)
    earlier = older.current()
    earlier.guards = native
    attributes = guards.Attributes(native)
    made = {
        **names,
        "__build_class__": membrane.build_class,
        "__import__": Importer(attributes, output, membrane, recorder),
        "super": super,
        "type": guards.type_of,
        "getattr": attributes.getattr,
        "hasattr": attributes.hasattr,
        "setattr": attributes.setattr,
        "delattr": attributes.delattr,
        "format": guards.formatted,
        "isinstance": native["isinstance"],
        "issubclass": native["issubclass"],
        "hash": guards.hashed,
        "id": guards.identity,
        "iter": guards.iterated,
        "print": output.print,
        "range": guards.range_of,
        "round": guards.rounded,
        "sorted": methods.sorted_of,
        instrument.LOAD: native["load"],
        instrument.ITEM: native["item"],
        instrument.STORE: native["store"],
        instrument.STORE_ITEM: native["store_item"],
        instrument.ASKED: lambda thing, name: removals.asked(native["load"](thing, name)),
        instrument.CONSENTED: removals.asked,
        instrument.CALL: native["call"],
        instrument.SEND: native["send"],
        instrument.AT: native["at"],
        instrument.INSIDE: native["inside"],
        instrument.SLICE: slice,
        instrument.SOCKET: earlier.socket,
        instrument.STORE_SOCKET: earlier.store_socket,
        instrument.BOUNDED: sizes.bounded,
        instrument.RANGE: range,
        instrument.FORMAT: guards.formatted,
        instrument.PERCENT: guards.percent,
        instrument.DELEGATED: guards.delegated,
        instrument.WITH: with_blocks.managed,
        instrument.KINDS: guards.kinds,
        instrument.OBJECT: object,
        instrument.PRODUCT: native["product"],
        instrument.INTO_PRODUCT: products.into,
        instrument.FACTOR: products.factor,
        **patterns.functions(native),
        **(recorder.builtins() if recorder is not None else {}),
    }
    membrane.begin(made)
    return made


@atexit.register
def forget() -> None:
    """Empties what functions of scripts share before the interpreter ends. An array of numpy may hold such a function,
    which Python's collector does not see, and what the function reaches keeps Blender as a module from ending.
    """
    for one in gc.get_objects():
        if type(one) is dict and type(table := one.get("__builtins__")) is dict and instrument.LOAD in table:
            one.clear()
            table.clear()
