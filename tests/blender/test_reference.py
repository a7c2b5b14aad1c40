# SPDX-License-Identifier: GPL-3.0-or-later
"""The generated reference of the add-on's preferences matches what Blender shows (``UPDATE=1`` writes it)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import bpy
import geonode_assistant
import pytest
from geonode_assistant.ui.preferences import GeoNodePreferences

PATH = Path(__file__).parents[2] / "addon/docs/preferences.md"
HEAD = """# Preferences of the add-on

The preferences in Preferences > Add-ons > GeoNode AI Assistant. The settings of a single run are in
[settings.md](settings.md).
Generated from the add-on (`UPDATE=1 cargo xtask env 5.2 -- python -m pytest tests/blender/test_reference.py`);
do not edit.

| preference | name | type | default | range | meaning |
|---|---|---|---|---|---|
"""


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Registers the add-on's classes."""
    geonode_assistant.register()
    yield
    geonode_assistant.unregister()


def allowed(prop: bpy.types.Property) -> str:
    """The values that a preference can have."""
    if prop.type == "ENUM":
        return ", ".join(f"`{item.identifier}` ({item.name})" for item in prop.enum_items)
    if prop.type == "BOOLEAN":
        return "true, false"
    if prop.type in {"INT", "FLOAT"}:
        return f"{prop.hard_min:g} to {prop.hard_max:g}"
    return "any text"


def row(prop: bpy.types.Property) -> str:
    """A preference as a row of the table."""
    default = {"true": "true", "false": "false"}.get(str(prop.default).lower(), prop.default)
    meaning = " ".join(prop.description.split()).replace("|", "\\|")
    if prop.type == "ENUM":
        meaning += ": " + "; ".join(f"*{item.name}*, {item.description}" for item in prop.enum_items)
    kept = ", not kept by Blender" if prop.is_skip_save else ""
    shown = f"`{default}`" if default != "" else "empty"
    return (
        f"| `{prop.identifier}` | {prop.name} | {prop.type.lower()}{kept} | {shown} | {allowed(prop)} | {meaning}. |\n"
    )


def test_the_reference_of_preferences_is_current() -> None:
    own = list(GeoNodePreferences.__annotations__)
    props = [GeoNodePreferences.bl_rna.properties[name] for name in own]
    assert len(props) >= 10 and all(prop.description for prop in props)
    now = HEAD + "".join(row(prop) for prop in props)
    if "UPDATE" in os.environ:
        PATH.write_text(now, encoding="utf-8")
    assert PATH.read_text(encoding="utf-8") == now, "addon/docs/preferences.md is out of date"
