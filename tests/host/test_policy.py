# SPDX-License-Identifier: GPL-3.0-or-later
"""The policy of safe mode matches the running Blender, and every decision in it is about something that exists."""

from __future__ import annotations

import fnmatch
import importlib
from typing import Any

import bpy
import policy
import pytest


@pytest.fixture(scope="module")
def now() -> dict[str, dict[str, str]]:
    return policy.observed()


def test_shipped_names_equal_the_live_ones(now: dict[str, dict[str, str]]) -> None:
    text = (policy.POLICY / "names.json").read_text(encoding="utf-8")
    assert policy.dumps(policy.merged(policy.shipped(), now)) == text, "run tests/host/policy.py in all four versions"
    assert len(now["attributes"]) > 4000 and len(now["operators"]) > 1500


def _properties() -> list[tuple[str, Any]]:
    found = []
    for module in dir(bpy.ops):
        for name in dir(getattr(bpy.ops, module)):
            if not name.startswith("_") and not module.startswith("_"):
                struct = getattr(getattr(bpy.ops, module), name).get_rna_type()
                found += [(f"{module}.{name}", one) for one in struct.properties]
    return found


def test_no_allowed_operator_takes_a_path(now: dict[str, dict[str, str]]) -> None:
    taking = {name for name, one in _properties() if policy.takes_path(one)}
    assert len(taking) > 80
    assert {name for name in taking if now["operators"][name] != "path"} == set()


def test_no_allowed_attribute_is_a_path(now: dict[str, dict[str, str]]) -> None:
    """Every property that contains a path, on any type, is refused by name or reviewed with a reason."""
    decisions = policy.reviewed()
    examined, allowed = 0, set()
    for name in dir(bpy.types):
        struct = getattr(getattr(bpy.types, name), "bl_rna", None)
        for one in struct.properties if struct is not None else ():
            if getattr(one, "subtype", "") in policy.PATHS:
                examined += 1
                if now["attributes"].get(one.identifier) == "":
                    allowed.add(one.identifier)
    assert examined > 50
    assert allowed <= set(decisions["attributes_allowed"]) | ON_UNREACHABLE_TYPES


# The attributes of this name that a script can reach are not paths; it cannot reach the other owners.
ON_UNREACHABLE_TYPES = {"name", "id_name"}


def test_every_module_and_member_exists_in_some_version() -> None:
    """All exist in the newest version; in older ones all except those that were added later."""
    missing = []
    examined = 0
    for module, members in policy.reviewed()["modules"].items():
        if module == "bpy" or module.startswith("bpy.app"):
            continue
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError:
            parent, _, last = module.rpartition(".")
            loaded = getattr(importlib.import_module(parent), last)
        for member in members:
            examined += 1
            if not hasattr(loaded, member):
                try:
                    importlib.import_module(f"{module}.{member}")
                except ModuleNotFoundError:
                    missing.append(f"{module}.{member}")
    assert examined > 400
    assert set(missing) <= LATER, missing


# New in Python 3.11 to 3.13; gone from numpy 2, or new in it; new with the layered actions of Blender 4.4 to 5.0.
LATER = {
    "numpy.in1d",
    "numpy.float_",
    "numpy.row_stack",
    "numpy.trapz",
    "numpy.acos",
    "numpy.asin",
    "numpy.astype",
    "numpy.atan",
    "numpy.atan2",
    "numpy.bool",
    "numpy.concat",
    "numpy.cumulative_sum",
    "numpy.linalg.cross",
    "numpy.permute_dims",
    "numpy.pow",
    "numpy.trapezoid",
    "numpy.unstack",
    "random.binomialvariate",
    "itertools.batched",
    "math.exp2",
    "math.cbrt",
    "bpy_extras.anim_utils.action_ensure_channelbag_for_slot",
    "bpy_extras.anim_utils.action_get_channelbag_for_slot",
    "bpy_extras.anim_utils.action_get_first_suitable_slot",
    "bpy_extras.anim_utils.animdata_get_channelbag_for_assigned_slot",
}


def test_every_pattern_matches_something(now: dict[str, dict[str, str]]) -> None:
    """Otherwise decisions about names that no version has would stay unnoticed."""
    decisions = policy.reviewed()
    shipped = policy.shipped()
    operators = {name for names in shipped["operators"].values() for name in names}
    idle = [one for one in decisions["operators_refused"] if not fnmatch.filter(operators, one)]
    idle += [one for one in decisions["operators_allowed"] if one not in operators]
    groups = {name.split(".")[0] for name in operators}
    idle += [one for one in decisions["operator_modules"] if one not in groups]
    attributes = {name for names in shipped["attributes"].values() for name in names}
    idle += [one for one in decisions["attributes_allowed"] if one not in attributes]
    assert idle == []
