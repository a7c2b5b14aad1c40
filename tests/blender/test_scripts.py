# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts in safe mode: they run as one undo step, are refused, are stopped, or are undone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import bpy
import geonode_core as core
import numpy as np
import pytest
from file_state import differences, state
from geonode_assistant import api, scripting
from geonode_assistant.host import surroundings
from geonode_assistant.messages import AssistantError
from geonode_assistant.scripting import expected

BUSY = """
import bpy
bpy.ops.mesh.primitive_cube_add(size=3)
bpy.context.object.name = "Made"
bpy.data.objects["Light"].location.x = 55
bpy.data.materials.new("Made too")
bpy.data.objects.remove(bpy.data.objects["Camera"])
bpy.data.collections.new("Also made").objects.link(bpy.data.objects["Made"])
"""


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    # What Blender derives (which sockets are available) is as after any undo.
    for _ in range(2):
        bpy.ops.ed.undo_push(message="settled")
    bpy.ops.ed.undo()


def objects() -> list[str]:
    return sorted(obj.name for obj in bpy.data.objects)


def test_the_result_has_output_and_public_names() -> None:
    result = api.run_script("import math\nx = math.floor(2.5)\n_hidden = 1\nprint('x is', x, sep='=', end='!')\n")
    assert result.stdout == "x is=2!"
    assert result.namespace == {"x": 2}
    assert result.duration_ms >= 0


def test_a_library_may_load_its_own_parts() -> None:
    source = """
import numpy as np
from datetime import datetime
co = np.arange(12.0).reshape(-1, 3)
co[:, 2] += np.sin(co[:, 0])
print(co.mean(), co.std() > 0, co.max(), np.linalg.norm(co) > 0, np.median(co) > 0)
print(np.random.default_rng(1).random() < 1)
print(datetime(2026, 1, 2).strftime("%Y"))
"""
    assert api.run_script(source).stdout.split()[-1] == "2026"


def test_success_is_one_undo_step() -> None:
    before = objects()
    scripting.run(BUSY)
    assert objects() == ["Cube", "Light", "Made"]
    bpy.ops.ed.undo()
    assert objects() == before and bpy.data.objects["Light"].location.x != 55
    bpy.ops.ed.redo()
    assert objects() == ["Cube", "Light", "Made"]


@pytest.mark.parametrize(
    ("end", "error", "code"),
    [
        ("1 / 0", "CoreError", "script_failed"),
        ("while 1 < 2: pass", "ScriptTimeout", "script_timeout"),
        ("x = 'x' * int('9' * 10)", "CoreError", "script_failed"),
        ("getattr(bpy, 'nothing')", "PolicyError", "script_refused"),
    ],
)
def test_failure_leaves_the_file_as_it_was(end: str, error: str, code: str) -> None:
    bpy.data.objects["Cube"].location.y = 7  # an edit that nobody made an undo step of
    before = state()
    with pytest.raises(getattr(core, error)) as failed:
        scripting.run(BUSY + end, timeout_ms=400)
    assert failed.value.code == code
    left = differences(before, state())
    assert left == [], "\n".join(left)
    # Nothing of it can be redone.
    assert not bpy.ops.ed.redo.poll() or bpy.ops.ed.redo() == {"CANCELLED"} or differences(before, state()) == []
    api.run_script("import bpy\nbpy.context.scene.frame_end = 77\n")
    assert bpy.context.scene.frame_end == 77


def test_failure_in_edit_mode_leaves_everything_as_it_was() -> None:
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(core.CoreError):
        api.run_script("import bpy\nbpy.data.objects['Light'].location.x = 99\nbpy.ops.mesh.subdivide()\n1 / 0\n")
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(bpy.data.objects["Cube"].data.vertices) == 8
    assert bpy.data.objects["Light"].location.x != 99


def test_undo_that_the_artist_switched_off_stays_off() -> None:
    edit = bpy.context.preferences.edit
    kept = (edit.use_global_undo, edit.undo_steps)
    edit.use_global_undo, edit.undo_steps = False, 2
    try:
        before = objects()
        with pytest.raises(core.CoreError):
            scripting.run(BUSY + "1 / 0")
        assert objects() == before
        assert (edit.use_global_undo, edit.undo_steps) == (False, 2)
    finally:
        edit.use_global_undo, edit.undo_steps = kept


def test_a_refusal_lists_every_finding_and_does_not_run() -> None:
    before = objects()
    with pytest.raises(core.PolicyError) as refused:
        api.run_script(BUSY + "import socket\nopen('x')\n")
    findings = refused.value.details["findings"]
    assert [(one["code"], one["line"]) for one in findings] == [("script_import", 9), ("script_name", 10)]
    assert refused.value.code == "script_refused"
    assert objects() == before


def test_an_error_has_its_line_and_the_printed_output() -> None:
    with pytest.raises(core.CoreError) as failed:
        api.run_script("def f(n):\n    return 1 / n\nprint('here')\nf(0)\n")
    assert failed.value.details == {"exception": "ZeroDivisionError", "line": 2, "stdout": "here\n"}
    assert "Line 2: ZeroDivisionError" in failed.value.message


def test_output_is_bounded() -> None:
    result = api.run_script("for i in range(3000):\n    print('x' * 100)\n")
    assert 100_000 <= len(result.stdout) < 100_200 and "only the first" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [{"mode": "wild"}, {"timeout_ms": 0}, {"timeout_ms": 10**9}, {"timeout_ms": True}, {"timeout_ms": 1.5}],
)
def test_wrong_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(AssistantError) as wrong:
        api.run_script("x = 1", **arguments)
    assert wrong.value.code == "invalid_argument"


def test_a_trusted_script_needs_the_setting_and_approval_of_this_script(tmp_path: Path) -> None:
    script = "import sys\nversion = sys.version_info[0]\n"
    shown: list[dict[str, Any]] = []

    def approve(request: dict[str, Any]) -> str:
        shown.append(request)
        return "approved"

    allowed = {"python": "trusted"}
    for arguments, code in [
        ({}, "python_not_allowed"),
        ({"approve": approve}, "python_not_allowed"),
        ({"settings": allowed}, "approval_required"),
        ({"settings": allowed, "approve": "all"}, "approval_required"),
        ({"settings": allowed, "approve": lambda request: "rejected"}, "user_rejected"),
    ]:
        with pytest.raises(AssistantError) as refused:
            api.run_script(script, mode="trusted", **arguments)  # type: ignore[arg-type]
        assert refused.value.code == code
    assert shown == []
    log = core.audit_start(tmp_path / "audit.jsonl")
    result = api.run_script(script, mode="trusted", settings=allowed, approve=approve)  # type: ignore[arg-type]
    assert result.namespace == {"version": 3}
    assert core.audit_flush(30)
    core.audit_stop()
    [entry] = map(json.loads, log.read_text().splitlines())
    assert (entry["kind"], entry["detail"]["characters"]) == ("trusted_script", len(script))
    assert shown == [{"reason": "trusted_script", "mode": "trusted", "script": script}]
    with pytest.raises(core.ScriptTimeout):
        api.run_script("while True: pass", "trusted", 100, settings=allowed, approve=approve)  # type: ignore[arg-type]


def test_state_that_outlives_a_script_is_restored() -> None:
    """Changes that trusted code makes, as if the earlier layers had failed, are found and restored."""
    before = surroundings.Surroundings()
    assert before.put_back() == []
    path = list(sys.path)
    bpy.app.handlers.frame_change_pre.append(print)
    bpy.app.driver_namespace["evil"] = print
    bpy.context.preferences.edit.undo_steps += 1
    sys.path.append("/nowhere")
    bpy.data.texts.new("evil.py")
    bpy.data.objects["Cube"].driver_add("location", 0).driver.expression = "frame"
    assert set(before.put_back()) >= {
        "handlers",
        "names for drivers",
        "preferences",
        "Python itself",
        "text blocks",
        "drivers",
    }
    assert print not in bpy.app.handlers.frame_change_pre
    assert "evil" not in bpy.app.driver_namespace
    assert sys.path == path
    # What lies in the file is the undo's.
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert before.put_back() == []


def test_a_breach_is_an_error_and_everything_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    from geonode_assistant.scripting import names

    real = names.table

    def leaky(*arguments: Any) -> dict[str, Any]:
        return {**real(*arguments), "abs": lambda text: bpy.data.texts.new(text)}

    monkeypatch.setattr(names, "table", leaky)
    with pytest.raises(core.PolicyError) as breach:
        api.run_script("abs('evil')")
    assert breach.value.code == "script_breach" and breach.value.details["changed"] == ["text blocks"]
    assert len(bpy.data.texts) == 0


def test_driven_objects_may_be_copied_renamed_and_removed() -> None:
    for name in ("Driven", "Gone"):
        made = bpy.data.objects.new(name, None)
        bpy.context.collection.objects.link(made)
        made.driver_add("location", 0).driver.expression = "frame * 0.5"
    scripting.run(
        "import bpy\ndriven = bpy.data.objects['Driven']\n"
        "copied = driven.copy()\nbpy.context.collection.objects.link(copied)\ncopied.name = 'Copied'\n"
        "driven.name = 'Renamed'\nbpy.data.objects.remove(bpy.data.objects['Gone'])"
    )
    assert {"Copied", "Renamed"} <= set(bpy.data.objects.keys()) and "Gone" not in bpy.data.objects


def test_links_into_one_input_change_their_order() -> None:
    scripting.run(
        "import bpy\ntree = bpy.data.node_groups.new('Joined', 'GeometryNodeTree')\n"
        "join = tree.nodes.new('GeometryNodeJoinGeometry')\n"
        "cube, cone = tree.nodes.new('GeometryNodeMeshCube'), tree.nodes.new('GeometryNodeMeshCone')\n"
        "first, second = (tree.links.new(node.outputs[0], join.inputs[0]) for node in (cube, cone))\n"
        "before = [link.from_node.name for link in join.inputs[0].links]\n"
        "first.swap_multi_input_sort_id(second)\n"
        "assert [link.from_node.name for link in join.inputs[0].links] == before[::-1]"
    )
    assert len(bpy.data.node_groups["Joined"].links) == 2


def test_typing_keeps_no_object_of_a_script() -> None:
    made = scripting.execute(
        "import typing\ncalled = []\n"
        "class Own:\n    def __hash__(self): return hash(int)\n    def __call__(self): pass\n"
        "    def __eq__(self, other):\n        called.append(1)\n        return False\n"
        "typing.List[Own()]\ntyping.List[int]"
    )
    # Within the script its object is found in the cache and compared; afterwards the cache has forgotten it.
    before = len(made.namespace["called"])
    assert before > 0
    _ = list[int]
    assert len(made.namespace["called"]) == before


def test_execute_leaves_the_undo_history_alone() -> None:
    bpy.ops.ed.undo_push(message="one")
    bpy.data.objects["Cube"].location.z = 3
    bpy.ops.ed.undo_push(message="two")
    scripting.execute("import bpy\nbpy.data.objects['Cube'].location.z = 4\n")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Cube"].location.z == 0


def test_numpy_arrays_are_limited_and_usable_after_the_script() -> None:
    made = api.run_script(
        "import numpy as np\nrow = np.ones(20_000)\nerror = ''\n"
        "try:\n    row[:, None] * row[None, :]\nexcept MemoryError as e:\n    error = str(e)\nkept = row * 2"
    ).namespace
    assert "Unable to allocate" in made["error"]
    assert made["kept"].sum() == 40_000
    made["kept"].resize(10, refcheck=False)
    # Nothing is bounded when no script runs.
    assert np.empty((12_000, 10_000)).nbytes > 900 * 2**20


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\na = np.ones((600, 600))\nnp.einsum('ij,kl,mn->in', a, a, a)",
        "from mathutils.geometry import tessellate_polygon\ntessellate_polygon([[(n, n * n, 0) for n in range(6000)]])",
        "from mathutils.geometry import delaunay_2d_cdt as d\nd([(n % 9, n // 9) for n in range(60000)], [], [], 0, 1)",
    ],
)
def test_calls_that_cannot_be_stopped_are_limited_by_their_arguments(source: str) -> None:
    with pytest.raises(core.CoreError, match="Guarded"):
        api.run_script(source)


TREE = """
import bpy
tree = bpy.data.node_groups.new("Made", "GeometryNodeTree")
tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
out = tree.nodes.new("NodeGroupOutput")
made = tree.nodes.new("GeometryNodeMeshGrid")
value = tree.nodes.new("ShaderNodeValue")
value.outputs[0].default_value = SIDE
tree.links.new(value.outputs[0], made.inputs["Vertices X"])
tree.links.new(value.outputs[0], made.inputs["Vertices Y"])
tree.links.new(made.outputs[0], out.inputs[0])
modifier = bpy.context.object.modifiers.new("Made", "NODES")
modifier.node_group = tree
"""
UPDATES = "bpy.context.view_layer.update()\n"


@pytest.mark.parametrize("ends", ["", UPDATES, "bpy.context.scene.frame_set(3)\n", "bpy.ops.object.duplicate()\n"])
def test_trees_made_by_a_script_are_estimated_before_evaluation(ends: str) -> None:
    before = state()
    with pytest.raises(core.CoreError, match="about 40,000,000,000 elements"):
        api.run_script(TREE.replace("SIDE", "200000") + ends)
    assert differences(before, state()) == []
    # A value that is changed after Blender has evaluated is expected anew.
    with pytest.raises(core.CoreError, match="elements"):
        api.run_script(
            TREE.replace("SIDE", "20") + UPDATES + "side = 10 ** 5\nvalue.outputs[0].default_value = side\n" + ends
        )
    assert differences(before, state()) == []
    api.run_script(TREE.replace("SIDE", "20") + ends)
    evaluated = bpy.context.object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert len(evaluated.data.vertices) == 400


ZONE = """
import bpy
tree = bpy.data.node_groups.new("Zone", "GeometryNodeTree")
tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
given, out = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
begin, end = tree.nodes.new("GeometryNodeRepeatInput"), tree.nodes.new("GeometryNodeRepeatOutput")
begin.pair_with_output(end)
often = OFTEN
begin.inputs["Iterations"].default_value = often
move = tree.nodes.new("GeometryNodeTransform")
tree.links.new(given.outputs[0], begin.inputs["Geometry"])
tree.links.new(begin.outputs["Geometry"], move.inputs["Geometry"])
tree.links.new(move.outputs[0], end.inputs["Geometry"])
tree.links.new(end.outputs["Geometry"], out.inputs[0])
modifier = bpy.context.object.modifiers.new("Zone", "NODES")
modifier.node_group = tree
"""


@pytest.mark.parametrize("ends", ["", UPDATES])
def test_zones_that_take_too_long_are_expected_too(ends: str) -> None:
    before = state()
    with pytest.raises(core.CoreError, match=r"would take about \d+ seconds and [\d.]+ GB"):
        api.run_script(ZONE.replace("OFTEN", "4_900_000") + ends)
    assert differences(before, state()) == []
    api.run_script(ZONE.replace("OFTEN", "1_000") + ends)


def test_the_artists_trees_are_estimated_only_after_a_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = TREE.replace("SIDE", "20") + UPDATES + "value.outputs[0].default_value = 100000.0\n"
    with pytest.raises(core.CoreError, match="After its last line"):
        api.run_script(late)
    api.run_script(TREE.replace("SIDE", "20"))
    monkeypatch.setattr(expected, "ELEMENTS", 100)
    api.run_script("import bpy\nbpy.data.objects['Light'].location.x = 3\n" + UPDATES)
    with pytest.raises(core.CoreError, match="elements"):
        api.run_script(
            "import bpy\nside = 30\nbpy.data.node_groups['Made'].nodes['Value'].outputs[0].default_value = side"
        )


@pytest.mark.parametrize(
    "source",
    [
        "for _ in range(30):\n    o.modifiers.new('s', 'SOLIDIFY')",
        "for _ in range(12):\n    o.modifiers.new('m', 'MIRROR').use_axis = (True, True, True)",
        "for _ in range(12):\n    o.modifiers.new('w', 'WIREFRAME')",
        "m = o.modifiers.new('s', 'SCREW')\nm.steps = 10000\nm.iterations = 10000",
        "for _ in range(5):\n    o.modifiers.new('s', 'MIRROR').use_axis = (True,) * 3\n"
        "o.modifiers.new('s', 'SMOOTH').iterations = 30000",
        "bpy.ops.mesh.primitive_uv_sphere_add(segments=400, ring_count=int('400'))",
        "bpy.ops.mesh.primitive_cylinder_add(vertices=100000)",
        "from mathutils import noise\nnoise.turbulence((1, 2, 3), 10 ** 9, True)",
        "o.modifiers.new('p', 'PARTICLE_SYSTEM')\ns = o.particle_systems[0].settings\ns.type = 'HAIR'\n"
        "s.count = 900_000\ns.hair_step = 50",
    ],
)
def test_modifiers_and_noise_are_bounded_together(source: str) -> None:
    before = state()
    with pytest.raises(core.CoreError, match="Guarded"):
        api.run_script(f"import bpy\no = bpy.context.object\n{source}")
    assert differences(before, state()) == []


def test_small_numbers_and_outlines_are_allowed() -> None:
    made = api.run_script(
        "import numpy as np\nfrom mathutils.geometry import tessellate_polygon, delaunay_2d_cdt\n"
        "from mathutils import Vector\n"
        "product = np.einsum('ij,jk->ik', np.eye(3), np.arange(9.0).reshape(3, 3)).tolist()\n"
        "sums = np.einsum('...i,...i->...', np.ones((4, 3)), np.ones((4, 3))).tolist()\n"
        "faces = tessellate_polygon([[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]])\n"
        "corners = [Vector((0, 0)), Vector((1, 0)), Vector((0, 1))]\n"
        "found = len(delaunay_2d_cdt(corners, [], [(0, 1, 2)], 0, 0.001)[0])"
    ).namespace
    assert made["product"] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert made["sums"] == [3, 3, 3, 3]
    assert len(made["faces"]) == 2
    assert made["found"] == 3


def test_an_input_of_a_modifier_is_set_by_its_identifier() -> None:
    """The input is an attribute from Blender 5.2 on, and an item before."""
    newer = bpy.app.version >= (5, 2, 0)
    source = """
import bpy
tree = bpy.data.node_groups.new("Sized", "GeometryNodeTree")
tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
socket = tree.interface.new_socket("Size", in_out="INPUT", socket_type="NodeSocketFloat")
tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
modifier = bpy.context.object.modifiers.new("Sized", "NODES")
modifier.node_group = tree
"""
    source += (
        "modifier.properties.inputs.Socket_1.value = 2.5\n"
        "found = getattr(modifier.properties.inputs, socket.identifier).value\n"
        if newer
        else "modifier['Socket_1'] = 2.5\nfound = modifier[socket.identifier]\n"
    )
    assert api.run_script(source).namespace["found"] == 2.5


def test_super_accepts_the_own_class_and_instance() -> None:
    made = api.run_script(
        "class A:\n    def f(self):\n        return 1\n"
        "class B(A):\n    def f(self):\n        return super(B, self).f() + 1\nfound = B().f()\n"
    ).namespace
    assert made["found"] == 2


def test_a_driver_without_an_expression_works() -> None:
    api.run_script("""
import bpy
cube = bpy.data.objects["Cube"]
cube["amount"] = 0.75
driver = cube.driver_add("location", 2).driver
driver.type = "AVERAGE"
variable = driver.variables.new()
variable.name = "amount"
variable.targets[0].id = cube
variable.targets[0].data_path = '["amount"]'
cube.driver_add("scale", 0)
""")
    bpy.context.view_layer.update()
    assert round(bpy.data.objects["Cube"].location.z, 3) == 0.75


@pytest.mark.parametrize(
    "source",
    [
        "driver.type = 'SCRIPTED'",
        "setattr(driver, 'ty' + 'pe', 'SCRI' + 'PTED')",
        "setattr(driver, 'expre' + 'ssion', 'f()')",
        "for driver.type in ['SCRIPTED']: pass",
        "[driver][0].type = 'SCRIPTED'",
    ],
)
def test_no_driver_becomes_scripted(source: str) -> None:
    driver = bpy.data.objects["Cube"].driver_add("location", 0).driver
    driver.expression, driver.type = "print('no')", "AVERAGE"
    with pytest.raises(core.CoreError):
        api.run_script(f"import bpy\ndriver = bpy.data.objects['Cube'].animation_data.drivers[0].driver\n{source}")
    assert bpy.data.objects["Cube"].animation_data.drivers[0].driver.type == "AVERAGE"
    with pytest.raises(core.CoreError, match="asked"):
        api.run_script("import bpy\nc = [bpy.data.objects['Cube'].driver_remove][0]\nc('location')")


def test_the_state_of_random_numbers_is_restored_only_as_it_was() -> None:
    api.run_script("""
import numpy as np
np.random.seed(20000000)
state = np.random.get_state()
first = np.random.rand(3)
np.random.set_state(state)
assert (first == np.random.rand(3)).all()
""")
    for wrong in ("10 ** 6", "-1"):
        with pytest.raises(core.CoreError, match="get_state"):
            api.run_script(
                f"import numpy as np\nname, keys, at, *more = np.random.get_state()\n"
                f"np.random.set_state((name, keys, {wrong}, *more))"
            )


@pytest.mark.parametrize("name", ["bl_icon", "bl_idname", "bl_label", "bl_static_type", "bl_width_default"])
def test_what_belongs_to_the_type_of_a_node_stays(name: str) -> None:
    made = "import bpy\nn = bpy.data.node_groups.new('t', 'GeometryNodeTree').nodes.new('GeometryNodeTransform')\n"
    with pytest.raises((core.CoreError, core.PolicyError), match=name):
        api.run_script(made + f"n.{name} = n.{name}")
