# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script does to many things at once, or leaves behind: bulk setters, contexts, objects out of every scene,
operators that multiply edges.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import alarm, policy


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


HEAD = "import bpy\nfrom array import array\nimport numpy as np\nobj = bpy.context.object\nme = obj.data\n"
WORKS = {
    "floats of a list": "me.vertices.foreach_set('co', [0.5] * 24)\nassert me.vertices[7].co.x == 0.5",
    "floats of a buffer": "me.vertices.foreach_set('co', array('f', [2] * 24))\nassert me.vertices[7].co.z == 2",
    "floats of numpy": "me.vertices.foreach_set('co', np.ones((8, 3)).ravel())\nassert me.vertices[0].co.y == 1",
    "truths": "me.polygons.foreach_set('use_smooth', [True] * 6)\nassert me.polygons[5].use_smooth",
    "truths of numpy": "me.polygons.foreach_set('use_smooth', np.zeros(6, bool))\nassert not me.polygons[5].use_smooth",
    "whole numbers": "me.polygons.foreach_set('material_index', [2] * 6)\nassert me.polygons[0].material_index == 2",
    "indices": "me.edges.foreach_set('vertices', [0, 1] * 12)\nassert me.edges[3].vertices[1] == 1",
    "an attribute": (
        "at = me.attributes.new('a', 'FLOAT_VECTOR', 'POINT')\nat.data.foreach_set('vector', np.full(24, 3.0))\n"
        "assert at.data[3].vector.x == 3"
    ),
    "pixels": (
        "im = bpy.data.images.new('i', 2, 2)\nim.pixels.foreach_set(array('f', [0.5] * 16))\n"
        "assert abs(im.pixels[3] - 0.5) < 0.01"
    ),
    "modifiers": (
        "for _ in range(2): obj.modifiers.new('s', 'SUBSURF')\nobj.modifiers.foreach_set('levels', [1, 3])\n"
        "assert [m.levels for m in obj.modifiers] == [1, 3]\n"
        "obj.modifiers.foreach_set('show_viewport', [False, True])\nassert not obj.modifiers[0].show_viewport"
    ),
    "an entry of a menu": (
        "m = obj.modifiers.new('s', 'SUBSURF')\nobj.modifiers.foreach_set('subdivision_type', [1])\n"
        "assert m.subdivision_type == 'SIMPLE'"
    ),
    "beyond its limits, as an assignment": (
        "cu = bpy.data.curves.new('c', 'CURVE')\nsp = cu.splines.new('POLY')\n"
        "sp.points.foreach_set('radius', [-5.0])\nassert sp.points[0].radius == 0"
    ),
    "objects": "bpy.data.objects.foreach_set('hide_render', [True] * 3)\nassert obj.hide_render",
}


@pytest.mark.parametrize("source", WORKS.values(), ids=WORKS)
def test_many_values_are_set_at_once(source: str) -> None:
    scripting.execute(HEAD + source)


REFUSED = {
    "a domain": "obj.modifiers.new('f', 'FLUID')\nobj.modifiers.foreach_set('fluid_type', [1])",
    "levels": "obj.modifiers.new('s', 'SUBSURF')\nobj.modifiers.foreach_set('levels', [11])",
    "levels of numpy": "obj.modifiers.new('s', 'SUBSURF')\nobj.modifiers.foreach_set('levels', np.array([11]))",
    "levels of the second": (
        "obj.modifiers.new('b', 'BEVEL')\nobj.modifiers.new('a', 'ARRAY')\n"
        "obj.modifiers.foreach_set('count', array('i', [1, 10**8]))"
    ),
    "no entry of a menu": "obj.modifiers.new('o', 'OCEAN')\nobj.modifiers.foreach_set('geometry_mode', [77])",
    "no entry of a menu of a node": (
        "t = bpy.data.node_groups.new('t', 'GeometryNodeTree')\nt.nodes.new('ShaderNodeTexNoise')\n"
        "t.nodes.foreach_set('noise_dimensions', [99])"
    ),
    "what is read-only": "me.vertices.foreach_set('index', [0] * 8)",
    "what is not a number": "bpy.data.objects.foreach_set('name', [1, 2, 3])",
    "an index": "me.edges.foreach_set('vertices', np.full(24, 900))",
    "by a name that is made": "obj.modifiers.new('s', 'SUBSURF')\nobj.modifiers.foreach_set('lev' + 'els', (11,))",
    "by a method that is kept": "obj.modifiers.new('s', 'SUBSURF')\nf = obj.modifiers.foreach_set\nf('levels', [11])",
    "too few": "me.vertices.foreach_set('co', [0.0] * 5)",
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED)
def test_many_values_are_judged_like_each(source: str) -> None:
    with pytest.raises(core.CoreError) as raised:
        scripting.execute(HEAD + source)
    assert raised.value.code == "script_failed"
    assert all(getattr(one, "fluid_type", "") != "DOMAIN" for one in bpy.context.object.modifiers)


OVERRIDE = "bpy.context.temp_override(object=o, active_object=o)"
LEFT = {
    "a generator in a stack": (
        "@contextmanager\ndef cm():\n    with "
        + OVERRIDE
        + ":\n        yield 1\ns = ExitStack()\ns.enter_context(cm())"
    ),
    "in a stack": "s = ExitStack()\ns.enter_context(" + OVERRIDE + ")",
    "stopped in it": "n = 1\nwith " + OVERRIDE + ":\n    while n:\n        n += 1",
    "failed in it": "with " + OVERRIDE + ":\n    1 / 0",
    "left in another order": (
        "a, b = ExitStack(), ExitStack()\na.enter_context(" + OVERRIDE + ")\n"
        "b.enter_context(bpy.context.temp_override(object=None))\na.close()\nb.close()"
    ),
}


@pytest.mark.parametrize("source", LEFT.values(), ids=LEFT)
def test_no_context_stays_entered(source: str) -> None:
    before = bpy.context.object
    assert before is not None
    head = "import bpy\nfrom contextlib import contextmanager, ExitStack\no = bpy.data.objects.new('tmp', None)\n"
    try:
        scripting.execute(head + source, timeout_ms=1000)
    except Exception as error:
        assert getattr(error, "code", "") in ("script_failed", "script_timeout"), error
    assert bpy.context.object == before


def test_a_context_in_a_stack_works_until_it_is_closed() -> None:
    scripting.execute(
        "import bpy\nfrom contextlib import ExitStack\nwas = bpy.context.object\nlight = bpy.data.objects['Light']\n"
        "with ExitStack() as s:\n    s.enter_context(bpy.context.temp_override(object=light))\n"
        "    assert bpy.context.object == light\nassert bpy.context.object == was"
    )


LOSSES = {
    "instances on faces": "bpy.ops.object.select_all(action='SELECT')\nbpy.ops.object.make_dupli_face()",
    "unlinked": "c = bpy.data.objects['Cube']\nfor x in list(c.users_collection): x.objects.unlink(c)",
}


@pytest.mark.parametrize("source", LOSSES.values(), ids=LOSSES)
def test_objects_leave_the_scenes_only_after_a_question(source: str) -> None:
    cube = bpy.data.objects["Cube"]
    empty = bpy.data.meshes.new("Other")
    empty.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    bpy.context.collection.objects.link(bpy.data.objects.new("Other", empty))
    bpy.context.view_layer.objects.active = cube
    with pytest.raises(core.CoreError, match="no scene any more"):
        scripting.execute("import bpy\n" + source)


def test_objects_may_change_their_collection() -> None:
    scripting.execute(
        "import bpy\nc = bpy.data.objects['Cube']\nnew = bpy.data.collections.new('New')\n"
        "bpy.context.scene.collection.children.link(new)\nnew.objects.link(c)\n"
        "bpy.data.collections['Collection'].objects.unlink(c)"
    )


LINE = (
    "import bpy\nimport bmesh\nme = bpy.data.meshes.new('m')\nn = {n}\n"
    "me.from_pydata([(i, 0, 0) for i in range(n)], [(i, i + 1) for i in range(n - 1)], [])\n"
    "o = bpy.data.objects.new('m', me)\nbpy.context.collection.objects.link(o)\n"
    "bpy.ops.object.select_all(action='DESELECT')\no.select_set(True)\nbpy.context.view_layer.objects.active = o\n"
)
EDIT = "bpy.ops.object.mode_set(mode='EDIT')\nbpy.ops.mesh.select_all(action='SELECT')\n"
BOMBS = {
    "spin": (20_000, EDIT + "bpy.ops.mesh.spin(steps=20000, angle=6.28, axis=(0, 0, 1))"),
    "subdivide": (300_000, EDIT + "bpy.ops.mesh.subdivide(number_cuts=100)"),
    "screw": (3_000, EDIT + "bpy.ops.mesh.screw(steps=100000, turns=1000, axis=(0, 0, 1))"),
    "repeated extrusion": (3_000, EDIT + "bpy.ops.mesh.extrude_repeat(steps=100000, offset=(0, 0, 1))"),
    "points of a curve": (
        100_000,
        "bpy.ops.object.convert(target='CURVE')\nbpy.ops.object.mode_set(mode='EDIT')\n"
        "bpy.ops.curve.select_all(action='SELECT')\nbpy.ops.curve.subdivide(number_cuts=100)",
    ),
    "cuts of a BMesh": (
        300_000, "b = bmesh.new()\nb.from_mesh(me)\nbmesh.ops.subdivide_edges(b, edges=b.edges[:], cuts=100)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bomb", [*BOMBS.values()], ids=[*BOMBS])
def test_edges_alone_are_counted(bomb: tuple[int, str]) -> None:
    count, source = bomb
    with pytest.raises(core.CoreError, match="freeze Blender"):
        scripting.execute(LINE.format(n=count) + source, timeout_ms=60_000)


def test_a_line_is_cut_spun_and_screwed() -> None:
    scripting.execute(
        LINE.format(n=200) + EDIT + "bpy.ops.mesh.subdivide(number_cuts=20)\n"
        "bpy.ops.mesh.spin(steps=32, angle=6.28, axis=(0, 0, 1))\nbpy.ops.object.mode_set(mode='OBJECT')\n"
        "assert len(me.polygons) > 100_000",
        timeout_ms=60_000,
    )


NOT_PRELOADED = frozenset({
    "subprocess", "webbrowser", "winreg", "shlex", "shutil", "zipfile", "traceback", "pathlib", "importlib", "gc",
    "importlib.util", "_bl_previews_utils", "bl_previews_utils", "bl_console_utils.autocomplete", "rna_xml",
    "_bl_console_utils.autocomplete", "_rna_xml", "bl_keymap_utils", "bl_keymap_utils.io", "rna_keymap_ui",
    "bl_ui_utils.bug_report_url", "sys_info",
    "_bpy_internal.system_info.text_generate_runtime", "_bpy_internal.system_info.url_prefill_runtime",
})  # fmt: skip
"""What only operators about files, programs, keymaps and Blender's own windows import, which no script may call."""


def test_what_operators_import_when_they_are_called_is_loaded_before() -> None:
    alarm.prepare("import bpy")
    seen = 0
    missing = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not name.startswith("bl_operators") or not file or not file.endswith(".py"):
            continue
        package = name if Path(file).name == "__init__.py" else name.rpartition(".")[0]
        for function in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                wanted = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    wanted = ["." * node.level + (node.module or "")]
                for one in wanted:
                    full = importlib.util.resolve_name(one, package) if one.startswith(".") else one
                    seen += 1
                    if full not in sys.modules and full not in NOT_PRELOADED:
                        missing.add(f"{full} for {name}")
    assert seen > 40
    assert missing == set()


LATE = {
    "select_next_item": EDIT + "bpy.ops.mesh.select_next_item()",
    "deltas": "bpy.ops.object.anim_transforms_to_deltas()",
    "randomize_uv": EDIT + "bpy.ops.uv.randomize_uv_transform()",
    "align_rotation": EDIT + "bpy.ops.uv.align_rotation()",
}


@pytest.mark.parametrize("source", LATE.values(), ids=LATE)
def test_operators_in_python_raise_no_alarm(source: str) -> None:
    name = source.rpartition("bpy.ops.")[2].partition("(")[0]
    assert name in policy.policy().operators
    try:
        scripting.execute("import bpy\nbpy.context.view_layer.objects.active = bpy.data.objects['Cube']\n" + source)
    except Exception as error:
        assert getattr(error, "code", "") == "script_failed", error


APPENDED = ("bpy.ops.object.shade_auto_smooth()", "bpy.ops.object.curves_empty_hair_add()")


@pytest.mark.parametrize("source", APPENDED)
def test_what_blender_brings_with_it_may_be_appended(source: str) -> None:
    """Operators that append node groups of Blender's own library, which stays in the file as a library."""
    result = scripting.run(
        f"import bpy\nbpy.context.view_layer.objects.active = bpy.data.objects['Cube']\n{source}", timeout_ms=60_000
    )
    # Blender 5.0 makes the empty hair without an asset; 4.5 has no list of its own assets without a window.
    made = "hair" in source and any(obj.type == "CURVES" for obj in bpy.data.objects)
    assert made or bpy.data.libraries or "unfinished" in result.stdout or bpy.app.version < (5, 0)
