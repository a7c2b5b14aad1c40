# SPDX-License-Identifier: GPL-3.0-or-later
"""What safe mode allows in this Blender: the core's policy, for the second check and the guards."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

import bpy

from .. import native

VERSION = "{}.{}".format(*bpy.app.version[:2])
"""The version of this Blender as the core names it."""


READABLE: dict[type, frozenset[str]] = {bpy.types.BlendData: frozenset({"filepath"})}
"""Attributes of Blender's types that may be read there, and nowhere else."""


@dataclass(frozen=True)
class Policy:
    """The allow-lists of one version of Blender (``rust/script/policy/README.md``)."""

    builtins: frozenset[str]
    called_only: frozenset[str]
    attributes: frozenset[str]
    """Every allowed attribute name, including members of modules and parts of operator names."""
    dunder_read: frozenset[str]
    types: dict[str, frozenset[str]]
    """The attributes that may be read from objects of library types, by the type's full name; ``:class``: may
    be derived from.
    """
    stores: dict[str, frozenset[str]]
    """The attributes that may be set on them."""
    methods: frozenset[str]
    modules: dict[str, frozenset[str]]
    operators: frozenset[str]
    removing_operators: frozenset[str]
    """Those of them that remove data."""
    node_types: tuple[str, ...]
    """Name patterns with ``*``."""
    types_refused: tuple[str, ...]
    """Patterns of Blender's types whose objects a script may do nothing with."""
    types_allowed: tuple[str, ...]
    """Exceptions from these."""
    bounds: dict[str, int]
    """The largest value of a property or an argument of this name."""
    items: int
    """The most items of a range, an array or a mesh."""
    integer_bits: int
    """Most bits of a whole number."""
    width_digits: int
    """Most digits of a width or a precision in a format."""


@cache
def policy() -> Policy:
    """The policy for this Blender, read once from the core."""
    known = native.core().script_policy(VERSION)
    modules = {name: frozenset(members) for name, members in known["modules"].items()}
    attributes = {*known["attributes"], *known["dunder_read"], *known["underscored"]}
    attributes.update(*modules.values(), *(name.split(".") for name in known["operators"]))
    return Policy(
        builtins=frozenset(known["builtins"]),
        called_only=frozenset(known["called_only"]),
        attributes=frozenset(attributes) | {"poll", "format"},
        dunder_read=frozenset(known["dunder_read"]),
        types={name: frozenset(members) for name, members in known["types"].items()},
        stores={name: frozenset(members) for name, members in known["stores"].items()},
        methods=frozenset(known["methods"]),
        modules=modules,
        operators=frozenset(known["operators"]),
        removing_operators=frozenset(known["removing_operators"]),
        node_types=tuple(known["node_types"]),
        types_refused=tuple(known["types_refused"]),
        types_allowed=tuple(known["types_allowed"]),
        bounds={name: int(bound) for name, bound in known["bounds"].items()},
        items=int(known["items"]),
        integer_bits=known["integer_bits"],
        width_digits=known["width_digits"],
    )


@cache
def is_refused(struct: type) -> bool:
    """Whether a script may do nothing with objects of a type of Blender's, wherever it has them from: an artist's own
    property may point to a text block.
    """
    described = getattr(struct, "bl_rna", None)
    name = "" if described is None else described.identifier
    known = policy()
    return any(fnmatchcase(name, one) for one in known.types_refused) and not any(
        fnmatchcase(name, one) for one in known.types_allowed
    )
