# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist can do next: a failed prompt, a long script, changed nodes, the preferences, each in a picture."""

from __future__ import annotations

import copy
import json
from typing import Any

from endpoint import Endpoint
from plans import lift
from window import ADDON, Window

EDITOR = "GeometryNodeTree"
SCALE = "C.preferences.system.ui_scale"
HIGHER = {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 3]}
LINES = "\n".join(f"bpy.data.objects['Cube'].location.x = {n}" for n in range(40))
SCRIPT = f"import bpy\n{LINES}\nfor one in list(bpy.data.lights):\n    bpy.data.lights.remove(one)\n"


def full(window: Window, editor: str) -> None:
    """Makes the first editor of that type as large as the window."""
    window.do(
        f"o = {{'window': C.window_manager.windows[0], 'area': area({editor!r})}}\n"
        "with C.temp_override(**o): bpy.ops.screen.screen_full_area()"
    )
    window.wait("len(C.window_manager.windows[0].screen.areas) == 1")


def back(window: Window, editor: str) -> None:
    window.do(
        f"o = {{'window': C.window_manager.windows[0], 'area': area({editor!r})}}\n"
        "with C.temp_override(**o): bpy.ops.screen.back_to_previous()"
    )


def test_a_prompt_that_was_not_understood_offers_what_is_near(window: Window) -> None:
    window.send_prompt("glorp the flibber on the pebbles")
    assert window.ask("current.summary") == "ERROR"
    window.wait(f"bool(__import__('{ADDON}.ui.gallery', fromlist=['loaded']).loaded)")
    window.settle()
    window.photograph("not_understood_next")
    window.press("geonode.use_preset")
    window.wait("not current.running and current.summary == 'DONE'")
    assert window.ask("len(C.object.modifiers)") == 1


def test_a_long_script_is_approved_on_its_last_page(window: Window, model: Endpoint) -> None:
    step = {"id": "s", "type": "PYTHON", "description": "Move the cube", "payload": {"code": SCRIPT}}
    model.plan = {"version": "1.1", "steps": [step], "done": True, "final_message": "Moved."}
    model.release.set()
    window.do("preferences.choices.stored().try_scripts = 'never'")
    try:
        window.send_prompt("move it", until="bool(current.pending or current.report)")
        window.settle()
        window.photograph("script_first_page")
        window.press("accept=True")
        window.settle()
        assert window.ask("len(current.pending)") == 1, "nothing is approved before it was read"
        window.press("geonode.turn_page", across=0.8)
        window.wait("bool(current.read)")
        window.move(300, 200)
        window.settle()
        window.photograph("script_last_page")
        window.press("accept=True")
        window.wait("not current.running")
        assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    finally:
        window.do("preferences.choices.stored().try_scripts = 'always'")


def open_lifted(window: Window, model: Endpoint, operations: list[dict[str, Any]]) -> None:
    """Makes the tree of ``lift``, opens it in an editor, changes it so, and fills the window with it."""
    model.release.set()
    model.plan = lift()
    window.send_prompt("lift it")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    model.plan = copy.deepcopy(lift())
    model.plan["steps"][0]["payload"]["operations"] = operations
    window.press("geonode.open_tree", across=0.8)
    window.wait(f"any(a.ui_type == {EDITOR!r} for a in C.window_manager.windows[0].screen.areas)")
    window.wait(f"area({EDITOR!r}).spaces.active.edit_tree is not None")
    start = "starting.start('raise it', object='Cube', approve='ask')\npolling.start()"
    window.do(f"from {ADDON}.run import starting\n{start}")
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    full(window, EDITOR)
    window.open_tab(EDITOR)
    window.do(
        f"a = area({EDITOR!r}); r = next(r for r in a.regions if r.type == 'WINDOW')\n"
        "with C.temp_override(window=C.window_manager.windows[0], area=a, region=r): bpy.ops.node.view_all()"
    )
    window.settle()


def test_a_group_of_changes_is_settled_on_the_canvas(window: Window, model: Endpoint) -> None:
    beside = [
        {"op": "create_node", "node_id": "cone", "bl_idname": "GeometryNodeMeshCone"},
        {"op": "create_node", "node_id": "aside", "bl_idname": "GeometryNodeSetPosition"},
        {"op": "link", "from": {"node_id": "cone", "socket": "Mesh"}, "to": {"node_id": "aside", "socket": "Geometry"}},
    ]
    open_lifted(window, model, [HIGHER, *beside])
    tree = f"area({EDITOR!r}).spaces.active.edit_tree"
    rows = (
        f"[(r.group, r.x + r.width, r.y) for r in __import__('{ADDON}.ui.group_rows', fromlist=['rows'])"
        f".rows({tree}, region({EDITOR!r}, 'WINDOW'), {SCALE})]"
    )
    groups = dict(window.ask(f"[(m.name, m.group) for m in current.marks({tree})]"))
    assert groups["cone"] == groups["aside"] != groups["move"]

    def press(group: int, button: int) -> None:
        left, bottom, _, _ = window.box(EDITOR, "WINDOW")
        [(x, y)] = [(x, y) for which, x, y in window.ask(rows) if which == group]
        scale = window.ask(SCALE)
        window.move(int(left + x + (20 * button + 10) * scale), int(bottom + y + 11 * scale))
        window.settle()
        window.click(*window.pointer)

    window.move(300, 60)
    window.photograph("groups_on_the_canvas")
    press(groups["cone"], 1)
    window.wait(f"'cone' not in {tree}.nodes")
    assert window.ask(f"{tree}.nodes['move'].inputs['Translation'].default_value[2]") == 3
    window.settle()
    press(groups["move"], 0)
    window.wait(f"not current.marks({tree})")
    assert window.ask(rows) == []
    # An undo step of its own.
    window.move(300, 60)
    window.key("Z", ctrl=True)
    window.wait(f"'cone' in {tree}.nodes")
    back(window, EDITOR)


def test_changed_nodes_are_outlined_until_they_are_accepted(window: Window, model: Endpoint) -> None:
    turn = {"op": "create_node", "node_id": "turn", "bl_idname": "GeometryNodeSetPosition"}
    ends = [("move", "turn"), ("turn", "group_output")]
    links = [
        {"op": "link", "from": {"node_id": a, "socket": "Geometry"}, "to": {"node_id": b, "socket": "Geometry"}}
        for a, b in ends
    ]
    open_lifted(window, model, [HIGHER, turn, *links])
    marks = f"{{m.name: m.kind for m in current.marks(area({EDITOR!r}).spaces.active.edit_tree)}}"
    assert window.ask(marks) == {"move": "changed", "turn": "added", "group_output": "changed"}
    window.move(300, 60)
    left, bottom, width, height = window.box(EDITOR, "WINDOW")
    marked = window.photograph("changed_nodes").cut(left, bottom, width, height)
    window.press("geonode.accept_changes", EDITOR)
    window.wait("current.accepted")
    window.move(300, 60)
    window.settle()
    plain = window.photograph("accepted_nodes").cut(left, bottom, width, height)
    assert marked.rows != plain.rows
    back(window, EDITOR)


def test_the_preferences_have_every_setting(window: Window) -> None:
    window.do("preferences.opened.update(('budget', 'data'))")
    window.do(f"bpy.ops.preferences.addon_show(module={ADDON!r})")
    window.wait("len(C.window_manager.windows) == 2")
    window.settle()
    window.photograph("preferences")
    window.do("preferences.opened.clear()")
    window.do("with C.temp_override(window=C.window_manager.windows[1]): bpy.ops.wm.window_close()")
    window.wait("len(C.window_manager.windows) == 1")


def test_a_plan_is_dropped_into_the_window(window: Window, model: Endpoint) -> None:
    path = window.files / "lift.json"
    path.write_text(json.dumps(lift()), encoding="utf-8")
    dropped = f"directory={str(path.parent)!r}, files=[{{'name': 'lift.json'}}]"
    window.do(
        "o = {'window': C.window_manager.windows[0], 'area': area('VIEW_3D'), 'region': region('VIEW_3D', 'WINDOW')}\n"
        f"with C.temp_override(**o): bpy.ops.wm.drop_import_file('INVOKE_DEFAULT', {dropped})"
    )
    window.wait("bool(current.pending)")
    assert window.ask("len(C.object.modifiers)") == 0
    window.settle()
    window.photograph("dropped_plan")
    window.press("accept=True")
    window.wait("not current.running")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
