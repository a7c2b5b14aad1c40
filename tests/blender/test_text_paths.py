# SPDX-License-Identifier: GPL-3.0-or-later
"""A property that a script names by a text is judged as if the script set it."""

from __future__ import annotations

from pathlib import Path

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import paths, policy

CACHE = 'modifiers["C"].point_cache.use_disk_cache'
BEGIN = f"import bpy\no = bpy.data.objects['Cube']\no.modifiers.new('C', 'CLOTH')\np = {CACHE!r}\n"
CURVES = (
    "o.animation_data_create()\na = bpy.data.actions.new('A')\no.animation_data.action = a\n"
    "new = a.fcurves.new if hasattr(a, 'fcurves') else lambda *x, **y: a.fcurve_ensure_for_datablock(o, *x, **y)\n"
)
ANIMATED = {
    "a driver": "o.driver_add(p)",
    "a driver in the list": "o.animation_data_create()\no.animation_data.drivers.new(p)",
    "a key": "o.keyframe_insert(p)",
    "a key by keyword": "o.keyframe_insert(data_path=p, frame=3)",
    "a key through another struct": "o.modifiers['C'].keyframe_insert('point_cache.use_disk_cache')",
    "a curve": CURVES + "new(p)",
    "a curve by keyword": CURVES + "new(data_path=p)",
    "the path of a curve": "f = o.driver_add('location', 0)\nf.data_path = p",
    "the path by text": "f = o.driver_add('location', 0)\nsetattr(f, 'data_path', p)",
    "a keying set": "k = bpy.context.scene.keying_sets.new(idname='k', name='k')\nk.paths.add(o, p)",
    "a key in a strip": "if not hasattr(bpy.data.actions.new('B'), 'layers'):\n    o.keyframe_insert(p)\n"
    "a = bpy.data.actions.new('A')\nstrip = a.layers.new('L').strips.new(type='KEYFRAME')\n"
    "strip.key_insert(a.slots.new(id_type='OBJECT', name='S'), p, 0, 1.0, 1.0)",
    "where pictures are written": "bpy.context.scene.keyframe_insert('render.' + 'file' + 'path')",
    "a script of a driver": "o.driver_add('location', 0)\no.keyframe_insert('animation_data.drivers[0].driver.type')",
    "a fluid domain": "o.modifiers.new('F', 'FLUID')\no.keyframe_insert('modifiers[\"F\"].fluid_type')",
    "what cannot be read": "o.driver_add('modifiers[C].strength')",
    "what is private": "o.driver_add('_x')",
}


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


@pytest.mark.parametrize("name", ANIMATED)
def test_what_may_not_be_set_is_not_animated(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for_frames = "\nfor k in range(1, 4):\n    bpy.context.scene.frame_set(k)\n"
    with pytest.raises(core.CoreError, match=r"path|animated") as failed:
        scripting.run(BEGIN + ANIMATED[name] + for_frames)
    assert failed.value.code == "script_failed"
    assert list(tmp_path.iterdir()) == []


def test_every_function_that_takes_a_path_is_guarded() -> None:
    allowed = policy.policy().attributes
    seen = set()
    for name in dir(bpy.types):
        described = getattr(getattr(bpy.types, name), "bl_rna", None)
        for function in described.functions if described is not None else ():
            paths_taken = [one for one in function.parameters if one.identifier == "data_path" and not one.is_output]
            if function.identifier in allowed and paths_taken:
                seen.add((name, function.identifier))
                asks = function.identifier == "find"  # nothing is made
                assert asks or function.identifier in paths.METHODS or paths.has_guard(name, function.identifier), name
                place = [one.identifier for one in function.parameters if not one.is_output].index("data_path")
                assert asks or paths.place(function.identifier) == place, (name, function.identifier)
    assert len(seen) >= 4, seen


def test_a_key_beyond_a_limit_is_refused_before_it_is_evaluated() -> None:
    with pytest.raises(core.CoreError, match="above 7"):
        scripting.run(
            "import bpy\nm = bpy.data.objects['Cube'].modifiers.new('S', 'SUBSURF')\nm.keyframe_insert('levels')\n"
            "a = bpy.data.objects['Cube'].animation_data.action\n"
            "if hasattr(a, 'fcurves'):\n    c = a.fcurves\nelse:\n"
            "    c = a.layers[0].strips[0].channelbags[0].fcurves\n"
            "c[0].keyframe_points[0].co = (1, 11)\nbpy.context.scene.frame_set(1)\n"
        )


def test_ordinary_paths_are_animated_and_resolved() -> None:
    made = scripting.run(
        "import bpy\no = bpy.data.objects['Cube']\no.modifiers.new('W', 'WAVE').height = 0.25\no['k'] = 1.0\n"
        "for path in ('location', 'modifiers[\"W\"].height', '[\"k\"]'):\n    o.keyframe_insert(path, frame=3)\n"
        "o.driver_add('modifiers[\"W\"].width')\n"
        "n = bpy.data.materials['Material'].node_tree\n"
        'n.driver_add(\'nodes["Principled BSDF"].inputs["Roughness"].default_value\')\n'
        "x = o.path_resolve('modifiers[\"W\"].height'), o.path_resolve('[\"k\"]'), o.path_resolve('location.x')\n"
    )
    assert made.namespace["x"] == (0.25, 1.0, 0.0)


@pytest.mark.parametrize("path", ["render.filepath", "nothing", "bl_rna.__class__"])
def test_a_path_resolves_no_further_than_attributes_do(path: str) -> None:
    with pytest.raises(core.CoreError, match="could not be resolved|cannot be read"):
        scripting.run(f"import bpy\nx = bpy.context.scene.path_resolve({path!r})\n")
