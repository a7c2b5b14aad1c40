# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials that a step makes, in a real file."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant.host.apply import apply_delta
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.transaction import Transaction
from making import on, step, through

GOLD: dict[str, Any] = {
    "name": "Gold",
    "base_color": [1.0, 0.7, 0.2],
    "roughness": 0.3,
    "metallic": 1.0,
    "emission_color": [1.0, 0.0, 0.0, 1.0],
    "emission_strength": 2.0,
}


def making(*edits: dict[str, Any]) -> Any:
    new = through()
    new["add"].append({"id": "gild", "type": "GeometryNodeSetMaterial"})
    new["values"] = [["gild", "Material", {"material": "Gold"}]]
    return step(new, modifiers=[on("Plane", "Test")]) | {"materials": list(edits)}


def shader(name: str) -> Any:
    nodes = bpy.data.materials[name].node_tree.nodes
    return next(node for node in nodes if node.bl_idname == "ShaderNodeBsdfPrincipled")


def test_a_material_is_made_with_its_values_and_used(starter: None) -> None:
    counts = apply_delta(making(GOLD))
    assert counts["materials"] == 1
    inputs = shader("Gold").inputs
    assert tuple(inputs["Base Color"].default_value) == pytest.approx((1.0, 0.7, 0.2, 1.0))
    assert inputs["Roughness"].default_value == pytest.approx(0.3) and inputs["Metallic"].default_value == 1.0
    assert tuple(inputs["Emission Color"].default_value) == (1.0, 0.0, 0.0, 1.0)
    assert inputs["Emission Strength"].default_value == 2.0
    node = next(n for n in bpy.data.node_groups["Test"].nodes if n.bl_idname == "GeometryNodeSetMaterial")
    assert node.inputs["Material"].default_value == bpy.data.materials["Gold"]
    assert tuple(bpy.data.materials["Gold"].diffuse_color) == pytest.approx((1.0, 0.7, 0.2, 1.0))


def test_the_same_material_again_is_the_same(starter: None) -> None:
    apply_delta(step() | {"materials": [GOLD]})
    before = [m.name for m in bpy.data.materials]
    assert apply_delta(step() | {"materials": [GOLD]})["materials"] == 0
    assert [m.name for m in bpy.data.materials] == before


@pytest.mark.parametrize(
    "other",
    [GOLD | {"roughness": 0.4}, GOLD | {"base_color": [0.0, 0.7, 0.2]}, {"name": "Gold", "emission_strength": 1.0}],
)
def test_a_material_with_other_values_is_not_changed(starter: None, other: dict[str, Any]) -> None:
    apply_delta(step() | {"materials": [GOLD]})
    with pytest.raises(HostError, match="is not changed") as refused:
        apply_delta(step() | {"materials": [other]})
    assert refused.value.code == "duplicate_id" and shader("Gold").inputs["Roughness"].default_value == pytest.approx(
        0.3
    )


def test_one_that_says_little_is_an_ordinary_material(starter: None) -> None:
    apply_delta(step() | {"materials": [{"name": "Plain"}]})
    assert shader("Plain").inputs["Metallic"].default_value == 0.0
    with pytest.raises(HostError) as refused:
        apply_delta(step() | {"materials": [{"name": "x" * 300}]})
    assert refused.value.code == "bad_name"


def test_glass_is_clear(starter: None) -> None:
    glass = {"name": "Glass", "base_color": [0.8, 0.9, 1.0], "transmission": 1.0, "alpha": 0.5}
    apply_delta(step() | {"materials": [glass]})
    inputs = shader("Glass").inputs
    assert inputs["Transmission Weight"].default_value == 1.0 and inputs["Alpha"].default_value == 0.5
    made = bpy.data.materials["Glass"]
    assert made.use_raytrace_refraction and made.diffuse_color[3] == 0.5
    assert apply_delta(step() | {"materials": [glass]})["materials"] == 0


def test_a_restore_removes_what_was_made(starter: None) -> None:
    bpy.data.materials.new("Mine")
    before = sorted(m.name for m in bpy.data.materials)
    transaction = Transaction(["Plane"], [])
    transaction.apply(making(GOLD))
    assert "Gold" in bpy.data.materials
    assert transaction.restore()
    assert sorted(m.name for m in bpy.data.materials) == before
