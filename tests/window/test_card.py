# SPDX-License-Identifier: GPL-3.0-or-later
"""The card of a result: its buttons and sliders, used with the pointer."""

from __future__ import annotations

import time
from collections.abc import Callable

from window import Window

SCATTER = "scatter 40 cubes on the cube"
VALUE = "next(s for s in sliders(current.results[0]) if s.name == {name!r})"
READ = "(lambda s: s.owner.value if s.path == 'value' else s.owner[s.path[2:-2]])(" + VALUE + ")"
# How long Blender takes to collect what the sidebar shows.
MEASURE = """
import time
spent = bpy.app.driver_namespace["drawn"] = []
panel = bpy.types.GEONODE_PT_view3d
if "inner" not in bpy.app.driver_namespace:
    bpy.app.driver_namespace["inner"] = panel.draw
inner = bpy.app.driver_namespace["inner"]
def draw(self, context):
    start = time.perf_counter()
    inner(self, context)
    spent.append(time.perf_counter() - start)
panel.draw = draw
"""
# Whether all nodes stand in the view of the Node Editor.
FRAMED = """
def framed():
    tree, view = area("GeometryNodeTree").spaces.active.edit_tree, region("GeometryNodeTree", "WINDOW")
    scale = C.preferences.system.ui_scale
    def place(node):
        return node.location + place(node.parent) if node.parent else node.location
    places = [view.view2d.view_to_region(*(place(n) * scale), clip=False) for n in tree.nodes]
    return all(0 <= x <= view.width and 0 <= y <= view.height for x, y in places)
bpy.app.driver_namespace["framed"] = framed
"""
# Whether the active node stands in the view of the Node Editor.
SEEN = """
def seen():
    node, view = area("GeometryNodeTree").spaces.active.edit_tree.nodes.active, region("GeometryNodeTree", "WINDOW")
    scale = C.preferences.system.ui_scale
    x, y = view.view2d.view_to_region(node.location.x * scale, node.location.y * scale, clip=False)
    return 0 < x < view.width and 0 < y < view.height
bpy.app.driver_namespace["seen"] = seen
"""


def make(window: Window) -> None:
    window.send_prompt(SCATTER)
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")


def test_the_card_takes_its_result_back_and_brings_it_again(window: Window) -> None:
    before = window.ask("exported()")
    make(window)
    window.photograph("card")
    window.press("ed.undo")
    window.wait("current.undone")
    assert window.ask("exported()") == before
    window.move(300, 200)
    window.press("ed.redo")
    window.wait("not current.undone")
    assert window.ask("len(C.object.modifiers)") == 1


def test_the_view_before_and_after_is_on_the_card(window: Window) -> None:
    stored = "preferences.choices.stored()"
    make(window)
    window.wait("all(pictures.runs.of_report(current.report))")
    window.settle()
    window.photograph("card_pictures")
    # The object fills a good part of the picture.
    assert window.ask("pictures.runs._frame.half") < 0.5
    assert window.ask("all(pictures.runs.of_run(pictures.remembered.current.runs[0].id))")
    window.do(f"{stored}.result_pictures = False")
    make(window)
    time.sleep(0.3)
    assert not any(window.ask("pictures.runs.of_report(current.report)"))
    window.do(f"{stored}.result_pictures = True")


def test_words_on_the_card_change_its_result(window: Window) -> None:
    make(window)
    window.click(*window.find(".change"))
    window.write("make it 50")
    window.key("RET")
    window.wait("bpy.context.window_manager.geonode_assistant.change == 'make it 50'")
    window.press("geonode.change")
    window.wait(f"not current.running and {READ.format(name='Count')} == 50")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    assert window.ask("len(C.object.modifiers)") == 1
    window.move(300, 200)
    window.photograph("card_changed")
    window.undo()
    window.wait("current.undone and len(C.object.modifiers) == 1")


def test_random_numbers_are_one_click_and_one_undo_step(window: Window) -> None:
    make(window)
    seed = READ.format(name="Seed")
    window.press("geonode.randomize", across=0.8)
    window.wait(f"{seed} != 0")
    window.undo()
    window.wait(f"{seed} == 0")
    assert not window.ask("current.undone")


def test_the_tree_is_opened_and_the_log_shown(window: Window) -> None:
    make(window)
    window.press('part="log"', across=0.8)
    window.wait("'log' in current.shown")
    window.move(300, 200)
    window.photograph("card_with_log")
    window.press("geonode.open_tree", across=0.8)
    window.wait("any(a.ui_type == 'GeometryNodeTree' for a in C.window_manager.windows[0].screen.areas)")
    window.wait("area('GeometryNodeTree').spaces.active.edit_tree is not None")
    tree = window.ask("current.results[0].node_group.name")
    assert window.ask("area('GeometryNodeTree').spaces.active.edit_tree.name") == tree
    window.do(FRAMED)
    window.wait("bpy.app.driver_namespace['framed']()")
    assert window.ask("area('GeometryNodeTree').spaces.active.show_region_ui")
    window.wait("region('GeometryNodeTree').active_panel_category == 'GeoNode'")
    window.settle()
    window.photograph("tree_opened")
    over = "C.temp_override(window=C.window_manager.windows[0])"
    window.do(f"with {over}: bpy.ops.geonode.go_back()")
    window.wait("C.window_manager.windows[0].workspace.name == 'Layout'")


def test_a_line_of_the_log_leads_to_its_node(window: Window) -> None:
    make(window)
    data = "bpy.context.window_manager.geonode_assistant"
    window.do("current.show('log')")
    window.do(f"{data}.log_search = 'Add Compare'")
    # The log stands at the end of the sidebar.
    window.scroll(20)
    window.press("geonode.show_mentioned", across=0.1)
    editor = "area('GeometryNodeTree').spaces.active"
    window.wait("any(a.ui_type == 'GeometryNodeTree' for a in C.window_manager.windows[0].screen.areas)")
    window.wait(f"{editor}.edit_tree is not None and sum(n.select for n in {editor}.edit_tree.nodes) == 1")
    assert window.ask(f"{editor}.edit_tree.nodes.active.bl_idname") == "FunctionNodeCompare"
    window.do(SEEN)
    window.wait("bpy.app.driver_namespace['seen']()")
    window.photograph("log_node")
    window.do(f"{data}.log_search = ''")


def test_the_card_is_drawn_quickly(window: Window, figure: Callable[[str, str], None]) -> None:
    make(window)
    window.do(MEASURE)
    try:
        for _ in range(100):
            window.do("region('VIEW_3D').tag_redraw()")
        window.wait("len(bpy.app.driver_namespace['drawn']) >= 40")
    finally:
        window.do("bpy.types.GEONODE_PT_view3d.draw = bpy.app.driver_namespace.pop('inner')")
    spent = sorted(window.ask("bpy.app.driver_namespace['drawn']"))
    middle, most = (f"{spent[int(len(spent) * part)] * 1000:.2f} ms" for part in (0.5, 0.95))
    figure("drawing the card", f"{middle}, 95 of 100 within {most}")
