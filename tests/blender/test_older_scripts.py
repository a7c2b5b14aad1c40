# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts for another Blender do here what they say where that is certain, and each change is told."""

from __future__ import annotations

import sys
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant import api, scripting
from geonode_assistant.host import belongings
from geonode_assistant.scripting.recorder import Recorder

BEGIN = "import bpy\ng = bpy.data.node_groups.new('g', 'GeometryNodeTree')\n"
MODIFIER = f"""{BEGIN}
g.interface.new_socket('Geometry', in_out='INPUT', socket_type='NodeSocketGeometry')
count = g.interface.new_socket('Count', in_out='INPUT', socket_type='NodeSocketInt')
g.interface.new_socket('Geometry', in_out='OUTPUT', socket_type='NodeSocketGeometry')
m = bpy.data.objects['Cube'].modifiers.new('n', 'NODES')
m.node_group = g
"""
NODE = BEGIN + "n = g.nodes.new('{}')\n"
CURVES = "import bpy\no = bpy.data.objects['Cube']\no.keyframe_insert('location', frame=1)\n"
PRINCIPLED = (
    "import bpy\nnodes = bpy.data.materials['Material'].node_tree.nodes\n"
    "b = [one for one in nodes if one.type == 'BSDF_PRINCIPLED'][0]\n"
)
RESAMPLE, TRANSFORM = "GeometryNodeResampleCurve", "GeometryNodeTransform"
VALUES = "found = {one.name: list(v) if hasattr(v := one.default_value, '__len__') and not isinstance(v, str) else v "
VALUES += "for one in n.inputs if hasattr(one, 'default_value')}"
# What a script does, the names that it then has, and the oldest Blender in which this is written otherwise; with a part
# of the note. In older ones it runs as it is.
OTHERWISE: dict[str, tuple[str, dict[str, Any], tuple[int, int], str]] = {
    "an input of a modifier": (MODIFIER + "m['Socket_1'] = 3\nfound = m['Socket_1']", {"found": 3}, (5, 2), "Socket_1"),
    "an input by its identifier": (
        MODIFIER + "m[count.identifier] = 4\nfound = m[count.identifier]",
        {"found": 4},
        (5, 2),
        "properties.inputs.Socket_1.value",
    ),
    "an attribute as input": (
        MODIFIER + "m['Socket_1_use_attribute'] = True\nm['Socket_1_attribute_name'] = 'x'\n"
        "found = bool(m['Socket_1_use_attribute']), m['Socket_1_attribute_name']",
        {"found": (True, "x")},
        (5, 2),
        "attribute_name",
    ),
    "a property that is a menu now": (
        NODE.format(RESAMPLE) + "n.mode = 'LENGTH'\nn.inputs[3].default_value = 0.25\n"
        "found = n.inputs['Length'].default_value",
        {"found": 0.25},
        (5, 0),
        "Mode",
    ),
    "a position behind a new menu": (
        NODE.format(TRANSFORM) + "n.inputs[1].default_value = (0, 0, 1)\nn.inputs[3].default_value = (2, 2, 2)\n"
        "found = [list(n.inputs[name].default_value) for name in ('Translation', 'Rotation', 'Scale')]",
        {"found": [[0, 0, 1], [0, 0, 0], [2, 2, 2]]},
        (5, 0),
        "inputs[3] is “Scale”",
    ),
    "a link behind a new menu": (
        NODE.format(TRANSFORM) + "v = g.nodes.new('ShaderNodeCombineXYZ')\n"
        "found = g.links.new(v.outputs[0], n.inputs[1]).to_socket.name",
        {"found": "Translation"},
        (5, 0),
        "inputs[1] is “Translation”",
    ),
    "positions of sockets that only one state has": (
        NODE.format("FunctionNodeRandomValue") + "n.data_type = 'FLOAT'\nn.inputs[2].default_value = 0.5\n"
        "n.inputs[3].default_value = 1.5\n"
        "found = [one.default_value for one in n.inputs if one.enabled][:2], n.outputs[1].type",
        {"found": ([0.5, 1.5], "VALUE")},
        (5, 2),
        "inputs[2]",
    ),
    "curves of an action": (
        CURVES + "for one in o.animation_data.action.fcurves:\n    one.keyframe_points[0].interpolation = 'LINEAR'\n"
        "found = len(o.animation_data.action.fcurves)",
        {"found": 3},
        (5, 0),
        "fcurves",
    ),
    "a whole number as float": (
        NODE.format("GeometryNodeMeshCube") + "n.inputs['Vertices X'].default_value = 4.0\n"
        "found = n.inputs['Vertices X'].default_value",
        {"found": 4},
        (4, 2),
        "4.0 as 4",
    ),
    "inputs of a tree": (
        BEGIN + "g.inputs.new('NodeSocketGeometry', 'In')\ns = g.inputs.new('NodeSocketFloatFactor', 'F')\n"
        "g.outputs.new('NodeSocketGeometry', 'Out')\n"
        "found = [(i.name, i.in_out) for i in g.interface.items_tree], s.subtype",
        {"found": ([("Out", "OUTPUT"), ("In", "INPUT"), ("F", "INPUT")], "FACTOR")},
        (4, 2),
        "new_socket",
    ),
    "inputs of the Principled BSDF": (
        PRINCIPLED + "b.inputs['Specular'].default_value = 0.25\nfound = b.inputs['Specular IOR Level'].default_value",
        {"found": 0.25},
        (4, 2),
        "Specular IOR Level",
    ),
    "the engine of 4.2": (
        "import bpy\nbpy.context.scene.render.engine = 'BLENDER_EEVEE_NEXT'\nfound = 1",
        {"found": 1},
        (5, 0),
        "BLENDER_EEVEE",
    ),
}
# What is not certain stays as Blender refuses it; with a part of the message.
REFUSED = {
    "another key of a modifier": (MODIFIER + "m['Nothing'] = 3\nm['Socket_9']", "Socket_"),
    "a part of a number": (NODE.format("GeometryNodeMeshCube") + "n.inputs['Vertices X'].default_value = 4.5", "int"),
    "an unknown value of a menu": (NODE.format(RESAMPLE) + "n.mode = 'NEVER'", "mode|NEVER"),
    "an unknown property": (NODE.format(RESAMPLE) + "n.overflow = 'SCALE_TO_FIT'", "overflow"),
    "an unknown socket": (PRINCIPLED + "b.inputs['Nothing']", "Nothing"),
    "a position that never was": (NODE.format(RESAMPLE) + "n.inputs[40]", "40|range"),
}


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_certain_is_done_and_told(name: str) -> None:
    source, expected, since, told = OTHERWISE[name]
    result = scripting.run(source)
    assert {key: result.namespace[key] for key in expected} == expected
    if bpy.app.version[:2] >= since:
        assert any(told in one for one in result.rewrites), result.rewrites
    else:
        assert not result.rewrites


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_certain_is_refused(name: str) -> None:
    source, says = REFUSED[name]
    with pytest.raises(core.CoreError, match=says):
        scripting.run(source)


def test_counted_sockets_are_told_where_nothing_shows_which_are_meant() -> None:
    counting = NODE.format(TRANSFORM) + "n.inputs[2].default_value = (0, 0, 1)\n"
    made = scripting.run(counting)
    if bpy.app.version >= (5, 0):
        [told] = made.doubts
        assert "inputs[2]" in told and "Translation" in told and "Rotation" in told
    else:
        assert made.doubts == ()
    assert scripting.run(NODE.format(TRANSFORM) + "n.inputs['Scale'].default_value = (1, 1, 2)\n").doubts == ()
    asks = "n.inputs[2].default_value = (0, 0, 1) if bpy.app.version >= (5, 0) else (0, 0, 0)\n"
    assert scripting.run(NODE.format(TRANSFORM) + asks).doubts == ()


@pytest.mark.parametrize(
    ("line", "since"),
    [
        ('o.keyframe_insert(\'modifiers["n"]["Socket_1"]\', frame={})', True),
        ('o.keyframe_insert(data_path=f\'modifiers["{{m.name}}"]["{{count.identifier}}"]\', frame={})', True),
        ("o.keyframe_insert('modifiers[\"n\"].properties.inputs.Socket_1.value', frame={})", False),
    ],
)
def test_the_input_of_a_modifier_is_animated_by_either_path(line: str, since: bool) -> None:
    keys = "\n".join(f"m['Socket_1'] = {value}\n" + line.format(frame) for frame, value in ((1, 2), (11, 12)))
    source = MODIFIER + "o = bpy.data.objects['Cube']\n" + keys
    recorder = Recorder()
    made = scripting.execute(source, removable=None, recorder=recorder)
    record = recorder.record("")
    assert record is not None, recorder.reason
    newer = bpy.app.version[:2] >= (5, 2)
    assert bool(made.rewrites) == (newer or not since), made.rewrites

    def check() -> None:
        cube = bpy.data.objects["Cube"]
        [curve] = belongings.curves(cube.animation_data.action)
        assert curve.data_path == (
            'modifiers["n"].properties.inputs.Socket_1.value' if newer else 'modifiers["n"]["Socket_1"]'
        )
        assert [tuple(point.co) for point in curve.keyframe_points] == [(1, 2), (11, 12)]
        bpy.context.scene.frame_set(11)
        held = cube.modifiers["n"]
        assert (held.properties.inputs.Socket_1.value if newer else held["Socket_1"]) == 12

    check()
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.carry_out(record, 4000)
    check()


def test_the_record_links_the_sockets_that_the_script_linked() -> None:
    source, expected, _, _ = OTHERWISE["a link behind a new menu"]
    recorder = Recorder()
    assert scripting.execute(source, removable=None, recorder=recorder).namespace["found"] == expected["found"]
    record = recorder.record("")
    assert record is not None, recorder.reason
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.carry_out(record, 4000)
    [link] = bpy.data.node_groups["g"].links
    assert link.to_socket.name == expected["found"]


def test_a_script_for_this_blender_is_not_changed() -> None:
    made = scripting.run(NODE.format(TRANSFORM) + "n.inputs[0]\nn.inputs[-1]\nn.outputs[0]\n" + VALUES)
    assert not made.rewrites and made.namespace["found"]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    {}\nexcept (AttributeError, TypeError, KeyError):\n    found = 'here'\n",
        "found = 'here'\nif hasattr(n, 'mode'):\n    {}\n",
    ],
)
def test_a_script_that_adapts_itself_is_left_alone(source: str) -> None:
    made = scripting.run(NODE.format(RESAMPLE) + "found = 'older'\n" + source.format("n.mode = 'LENGTH'"))
    assert not made.rewrites
    if bpy.app.version >= (5, 0):
        assert made.namespace["found"] == "here" and made.namespace["n"].inputs["Mode"].default_value == "Count"


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
@pytest.mark.parametrize("name", ["an input of a modifier", "a property that is a menu now", "inputs of a tree"])
def test_the_question_and_the_report_say_what_is_done_otherwise(name: str) -> None:
    source, _, since, told = OTHERWISE[name]
    if bpy.app.version[:2] < since:
        pytest.skip("this Blender has it so")
    step = {"id": "s", "type": "PYTHON", "description": "Do it", "payload": {"code": source}}
    asked: list[dict[str, Any]] = []

    def decide(request: dict[str, Any]) -> str:
        asked.append(request)
        return "approved"

    plan = {"version": "1.1", "steps": [step], "done": True, "final_message": ""}
    report = api.apply_plan(plan, approve=decide)
    assert report.ok, report.messages
    tried = asked[0]["dry_run"]["result"]
    assert any("another Blender" in line and told in line for line in tried["did"]), tried
    assert "another Blender" in report.steps[0]["message"] and told in report.steps[0]["message"]
    assert tried.get("unrecorded", {}) == {}


ASKING = {
    "a property": "m = bpy.data.meshes['Cube']\nif hasattr(m, 'use_auto_smooth_x'):\n    m.auto_smooth_angle_x = 0.5\n"
    "else:\n    m.set_sharp_from_angle_x(angle=0.5) if hasattr(m, 'set_sharp_from_angle_x') else m.update()",
    "a version": "s = bpy.context.scene\nif bpy.app.version < (2, 80, 0):\n    s.objects_of_old.link_x(None)\n"
    "found = s.frame_start",
    "an expression": "s = bpy.context.scene\nx = s.what_was_x if bpy.app.version[0] < 3 else s.frame_start",
}


@pytest.mark.parametrize("name", ASKING)
def test_what_stands_behind_a_question_for_the_blender_is_not_refused(name: str) -> None:
    scripting.run(f"import bpy\n{ASKING[name]}")
    with pytest.raises(core.CoreError, match="attribute"):
        scripting.run(
            "import bpy\nif hasattr(bpy.context.scene, 'frame_start'):\n    bpy.context.scene.none_such_x = 1"
        )
