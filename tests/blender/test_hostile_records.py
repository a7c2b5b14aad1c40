# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that an owned trial hands over: none changes what is not listed, crashes, or leaves anything done.

Each is carried out without the check of the core, which refuses most of them before. Whole runs with a trial that lies
follow: what it reported binds them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import bpy
import pytest
from commands import ROOT
from file_state import state
from geonode_assistant import api, scripting
from geonode_assistant.cli import e2e
from geonode_assistant.host import addresses
from geonode_assistant.messages import AssistantError
from geonode_assistant.run import session
from geonode_assistant.run.dry_run import start
from test_script_corpus import fresh
from test_trials import script

DATA = {"root": "data", "path": []}
CONTEXT = {"root": "context", "path": []}


def of(*path: Any, kind: str = "objects", name: str = "Cube", library: Any = None) -> dict[str, Any]:
    return {"root": {"block": {"kind": kind, "name": name, "library": library}}, "path": list(path)}


def item(key: Any) -> dict[str, Any]:
    return {"item": key}


def put(where: Any, name: Any, value: Any) -> dict[str, Any]:
    return {"do": "set", "of": where, "name": name, "value": value}


def put_item(where: Any, key: Any, value: Any) -> dict[str, Any]:
    return {"do": "set_item", "of": where, "key": key, "value": value}


def call(where: Any, name: Any, *args: Any, **named: Any) -> dict[str, Any]:
    return {"do": "call", "of": where, "name": name, "args": list(args), "named": named}


def data(kind: str) -> dict[str, Any]:
    return {"root": "data", "path": [kind]}


def operator(name: Any, context: Any = None, **named: Any) -> dict[str, Any]:
    return {"do": "operator", "name": name, "context": context, "named": named}


def block(**where: Any) -> dict[str, Any]:
    return {"of": of(**where)}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


SCENE = {"kind": "scenes", "name": "Scene"}
MATERIAL = {"kind": "materials", "name": "Material"}
MESH = {"kind": "meshes", "name": "Cube"}
LOCATION = "location"
HOSTILE: dict[str, Any] = {
    # Paths that lead elsewhere.
    "up": put(of(".."), "name", "x"),
    "up by an item": put(of(item("..")), "name", "x"),
    "dots in a step": put(of("data.vertices"), "name", "x"),
    "dots in a name": put(of(), "data.name", "x"),
    "no step": put(of(""), "name", "x"),
    "a call as a step": put(of("evaluated_get()"), "name", "x"),
    "a function as a step": put(of("copy"), "name", "x"),
    "a class": put(of("__class__"), "name", "x"),
    "its functions": call(of("bl_rna"), "register"),
    "globals of a function": put(of("copy", "__globals__"), "x", 1),
    "a number as a step": put(of(3), "name", "x"),
    "a list as a step": put(of(["data"]), "name", "x"),
    "a step of two": put(of({"item": 0, "attribute": "x"}, {"other": 1}), "name", "x"),
    "a hundred thousand steps": put(of(*["data"] * 100_000), "name", "x"),
    "another root": put({"root": "session", "path": []}, "name", "x"),
    "no root": put({"path": []}, "name", "x"),
    "no path": put({"root": "data"}, "name", "x"),
    "an address that is a text": put("bpy.data.objects['Cube']", "name", "x"),
    "the application": put({"root": "context", "path": ["window_manager", "keyconfigs"]}, "active", 1),
    "the preferences": put({"root": "context", "path": ["preferences", "system"]}, "use_online_access", True),
    "an add-on": call({"root": "context", "path": ["preferences", "addons"]}, "new"),
    "a window": call(of(kind="window_managers", name="WinMan"), "event_timer_add", 1.0),
    "a kind with dots": put(of(kind="objects.data"), "name", "x"),
    "a kind of Python's": put(of(kind="__class__"), "name", "x"),
    "a library's block": put(of(library="/etc/passwd"), LOCATION, [1, 1, 1]),
    "a name that is a number": put(of(name=0), LOCATION, [1, 1, 1]),
    "a result before there is one": put({"root": {"result": -1}, "path": []}, "name", "x"),
    "a result by a text": put({"root": {"result": "0"}, "path": []}, "name", "x"),
    "a result by truth": put({"root": {"result": True}, "path": []}, "name", "x"),
    # What is not listed.
    "a picture's file": put(of(kind="images", name="Picture"), "filepath", "/etc/passwd"),
    "a picture's raw file": put(of(kind="images", name="Picture"), "filepath_raw", "/etc/passwd"),
    "saving a picture": call(of(kind="images", name="Picture"), "save"),
    "saving a render": call(of(kind="images", name="Picture"), "save_render", "/tmp/x.png"),
    "loading a picture": call(data("images"), "load", "/etc/passwd"),
    "loading a sound": call(data("sounds"), "load", "/etc/passwd"),
    "loading a font": call(data("fonts"), "load", "/etc/passwd"),
    "loading a movie": call(data("movieclips"), "load", "/etc/passwd"),
    "a library that is written": call(data("libraries"), "write", "/tmp/x.blend", {"set": []}),
    "where renders go": put(of("render", **SCENE), "filepath", "/tmp/x"),
    "a cache on the disk": put(of("modifiers", item("Cloth"), "point_cache"), "use_disk_cache", True),
    "a cache's file": put(of("modifiers", item("Cloth"), "point_cache"), "filepath", "/tmp/x"),
    "an expression": put(of("animation_data", "drivers", item(0), "driver"), "expression", "__import__('os')"),
    "keys of a path": call(of("render", **SCENE), "keyframe_insert", "filepath"),
    "keys of a cache": call(of("modifiers", item("Cloth"), "point_cache"), "keyframe_insert", "use_disk_cache"),
    "a path resolved": call(of(), "path_resolve", "data.name") | {"fails": True},
    "an address in memory": call(of(), "as_pointer"),
    "a text": call(data("texts"), "new", "x.py"),
    "an override": call(of(), "override_create"),
    "a handler": call({"root": "data", "path": ["handlers"]}, "append", 1),
    "a script node": call(of("node_tree", "nodes", **MATERIAL), "new", "ShaderNodeScript"),
    "a node of files": call(of("node_tree", "nodes", **MATERIAL), "new", "ShaderNodeTexIES"),
    "a class that is changed": put(of("bl_rna"), "name", "x"),
    "a private name": put(of(), "_x", 1),
    "an argument with two lines": call(of(), "select_set", True, __class__=1),
    # Operators.
    "quitting": operator("wm.quit_blender"),
    "another file": operator("wm.read_homefile"),
    "opening": operator("wm.open_mainfile", filepath="/tmp/x.blend"),
    "a console": operator("console.execute"),
    "a file of Python": operator("script.python_file_run", filepath="/tmp/x.py"),
    "a text that runs": operator("text.run_script"),
    "a value by a path": operator("wm.context_set_value", data_path="x", value="1"),
    "an add-on by an operator": operator("preferences.addon_enable", module="x"),
    "rendering": operator("render.render", write_still=True),
    "undoing": operator("ed.undo"),
    "exporting": operator("wm.obj_export", filepath="/tmp/x.obj"),
    "an operator with settings": operator("node.add_node", settings=[{"tuple": ["x", "1"]}]),
    "a class as an operator": operator("__class__.mro"),
    "subclasses as an operator": operator("__class__.__subclasses__"),
    "a private operator": operator("mesh.__class__"),
    "an operator without a group": operator("primitive_cube_add"),
    "an operator that is a number": operator(3),
    "a context that is none": operator("mesh.primitive_cube_add", "EXEC_DEFAULT; import os"),
    "a context with a window": operator("mesh.primitive_cube_add", "INVOKE_DEFAULT"),
    "too many cuts": operator("mesh.subdivide", number_cuts=10**9),
    "an override as an argument": operator("mesh.primitive_cube_add", {"dict": [["area", 1]]}),
    # Sizes.
    "vertices beyond all": call(of("vertices", **MESH), "add", 2**31),
    "vertices of a fraction": call(of("vertices", **MESH), "add", 1e300),
    "a whole number beyond all": put(of(), "pass_index", 10**40),
    "a picture beyond all": call(data("images"), "new", "x", 2**31 - 1, 2**31 - 1),
    "corners elsewhere": call(of("loops", **MESH), "foreach_set", "vertex_index", [2**31 - 1] * 24),
    "corners below zero": call(of("loops", **MESH), "foreach_set", "vertex_index", [-1] * 24),
    "an item far away": put(of("vertices", item(2**31), **MESH), "co", [0, 0, 0]),
    "an item beyond all": put(of("vertices", item(10**30), **MESH), "co", [0, 0, 0]),
    "levels": put(of("modifiers", item("Cloth")), "levels", 10**6),
    "nested a thousandfold": put(of(), LOCATION, deep(3000)),
    "a vector beyond all": put(of(), LOCATION, {"vector": [0.0] * 100_000}),
    # Values of the wrong kind.
    "a text for a vector": put(of(), LOCATION, "1, 2, 3"),
    "a block for a vector": put(of(), LOCATION, block()),
    "a vector of texts": put(of(), LOCATION, {"vector": ["x", "y", "z"]}),
    "an empty vector": put(of(), LOCATION, {"vector": []}),
    "a matrix of two kinds": put(of(), "matrix_world", {"matrix": [[1], [2, 3]]}),
    "an empty matrix": put(of(), "matrix_world", {"matrix": []}),
    "a matrix that is none": put(of(), "matrix_world", {"matrix": 3}),
    "short angles": put(of(), "rotation_euler", {"euler": [1]}),
    "angles without an order": put(of(), "rotation_euler", {"euler": [1, 2, 3, "WXYZ"]}),
    "a number that is code": put(of(), LOCATION, {"number": "__import__('os')"}),
    "a value of no kind": put(of(), LOCATION, {"code": "1"}),
    "a value of two kinds": put(of(), LOCATION, {"vector": [1, 2, 3], "color": [1, 2, 3]}),
    "a value of nothing": put(of(), LOCATION, {}),
    "a set of lists": put(of(), "rotation_mode", {"set": [[1]]}),
    "a slice of texts": put_item(of("location"), {"slice": ["a", "b", "c"]}, [1]),
    "a dictionary without pairs": put_item(of(), "x", {"dict": [1]}),
    "a property that is a block's name": put_item(of(), "bpy.data", {"of": {"root": "session", "path": []}}),
    "a parent that is a mesh": put(of(), "parent", block(**MESH)),
    "its own parent": put(of(), "parent", block()) | {"name": "parent_"},
    "another type of object": put(of(), "type", "CAMERA"),
    "a name that is no text": put(of(), "name", 3),
    # Data-blocks that no entry names.
    "by the list of all": put({"root": "data", "path": ["objects", item("Cube")]}, "hide_render", True),
    "by the scene of the context": put({"root": "context", "path": ["scene"]}, "frame_start", 7),
    "by what is active": put_item({"root": "context", "path": ["object", "location"]}, 0, 7.0),
    "by another one": put(of("camera", **SCENE), "hide_render", True),
    "by its data": put(of("data", "materials", item(0)), "pass_index", 7),
    "by a call": call({"root": "data", "path": ["objects", item("Cube")]}, "hide_set", True),
    # Entries that are none.
    "a number": 3,
    "nothing": None,
    "a list": ["set", of(), "name", "x"],
    "no deed": {"of": of(), "name": "x", "value": 1},
    "an unknown deed": {"do": "exec", "of": of(), "value": "1"},
    "no value": {"do": "set", "of": of(), "name": LOCATION},
    "arguments that are a number": {"do": "call", "of": of(), "name": "copy", "args": 3, "named": {}},
    "names that are a list": {"do": "call", "of": of(), "name": "copy", "args": [], "named": []},
    "leaving first": {"do": "exit", "of": of()},
    "entering an object": {"do": "enter", "of": of()},
    "calling what is no function": call(of(), "location"),
    "another numbering": put(of("vertices", item(0), **MESH), "co", [9, 9, 9]) | {"numbering": 5},
    "numbers of no mesh": put(of("location", **{"kind": "cameras", "name": "Camera"}), "x", 1) | {"numbering": 5},
    "a mesh of nothing": {"do": "mesh", "of": of(**MESH), "mesh": None},
    "a mesh that is a list": {"do": "mesh", "of": of(**MESH), "mesh": [[0, 0, 0]]},
    "what it makes is another": call(data("objects"), "get", "Cube")
    | {"makes": {"kind": "objects", "name": "New", "library": None}},
    "what it makes is hidden": call(data("objects"), "get", "Cube"),
    "what it makes is none": call(data("objects"), "find", "Cube")
    | {"makes": {"kind": "objects", "name": "Cube", "library": None}},
}  # fmt: skip


def prepared() -> None:
    fresh()
    cube = bpy.data.objects["Cube"]
    cube.modifiers.new("Cloth", "CLOTH")
    bpy.data.images.new("Picture", 4, 4).use_fake_user = True


def test_no_hostile_record_changes_anything() -> None:
    page = (ROOT / "addon/docs/threat-model.md").read_text(encoding="utf-8")
    assert len(HOSTILE) > 100 and f" {len(HOSTILE)} forged entries " in page
    prepared()
    before = state()
    became: dict[str, str] = {}
    for name, entry in HOSTILE.items():
        record = {"version": 1, "situation": addresses.situation(), "entries": [entry], "output": ""}
        try:
            scripting.carry_out(record, 4000)
        except AssistantError as error:
            if error.code != "record_mismatch":
                became[name] = error.code
        except Exception as error:
            became[name] = f"{type(error).__name__}: {error}"
        else:
            became[name] = "carried out"
    assert became == {} and state() == before


@pytest.mark.parametrize(
    "record", [{}, {"entries": []}, {"situation": 3, "entries": []}, {"situation": {}}, None, 3, []]
)
def test_what_is_no_record_is_not_carried_out(record: Any) -> None:
    fresh()
    before = state()
    with pytest.raises(AssistantError) as refused:
        scripting.carry_out(record, 4000)
    assert refused.value.code == "record_mismatch" and state() == before


# -- whole runs with a trial that lies


class Lying:
    """A trial whose process was taken over: it ends at once, and reports what it likes."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.result = result

    def poll(self) -> dict[str, Any]:
        return self.result

    def stopped(self) -> dict[str, Any]:
        return self.result

    def stop(self, wait: bool = False) -> None:
        """Nothing is left."""


@pytest.fixture
def scene() -> Iterator[None]:
    if sys.platform != "linux":
        pytest.skip("the sandbox is Linux's")
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    bpy.data.objects["Plane"].modifiers.new("Mine", "SUBSURF")
    yield
    session.current.close()
    session.current.reset("")


ASKS = (
    "import bpy\n\nobj = bpy.data.objects.new('New', None)\nbpy.data.objects.remove(obj)\n"
    "bpy.data.objects.new('N', None)"
)
PLANE = {"name": "Plane"}
NEW = {"kind": "objects", "name": "New", "library": None}
LIES: dict[str, tuple[dict[str, Any], Any, str]] = {
    "another name": (
        {"made": {"objects": ["Other"]}}, [call(data("objects"), "new", "New", None) | {"makes": NEW}], "",
    ),
    "a change that it hid": ({}, [put(of(**PLANE), LOCATION, [1, 2, 3])], ""),
    "a part that it hid": ({}, [call(of("modifiers", **PLANE), "clear")], ""),
    "an object that leaves its scene": (
        {}, [call({"root": "context", "path": ["collection", "objects"]}, "unlink", {"of": of(**PLANE)})], "",
    ),
    "a removal": ({}, [call(data("objects"), "remove", {"of": of(**PLANE)})], "refused"),
    "a removal by a result": (
        {},
        [call(data("objects"), "get", "Plane") | {"makes": {**NEW, "name": "Plane"}},
         call(data("objects"), "remove", {"of": {"root": {"result": 0}, "path": []}})],
        "refused",
    ),
    "a removal behind the context": (
        {}, [call({"root": "context", "path": ["blend_data", "objects"]}, "remove", {"of": of(**PLANE)})], "refused",
    ),
    "a path": ({}, [put(of(kind="scenes", name="Scene"), "filepath", "/tmp/x")], "refused"),
    "no record": ({}, "{", "refused"),
    "a record that is cut": ({}, json.dumps({"version": 1, "entries": []})[:-1], "refused"),
    "too many entries": ({}, [put(of(**PLANE), LOCATION, [0, 0, 0])] * 30_001, "refused"),
}  # fmt: skip


UNREADABLE = ("a path", "no record", "a record that is cut", "too many entries")
"""Lies that no question changes."""


@pytest.mark.parametrize(
    ("name", "asks"), [(name, asks) for name in LIES for asks in (False, True) if not asks or name not in UNREADABLE]
)
def test_what_a_lying_trial_reported_binds(scene: None, monkeypatch: pytest.MonkeyPatch, name: str, asks: bool) -> None:
    names, entries, form = LIES[name]
    record = {"version": 1, "situation": addresses.situation(), "entries": entries, "output": ""}
    text = entries if isinstance(entries, str) else json.dumps(record)
    result = {"ok": True, "seconds": 1.0, "peak_mb": 1, "made": [], "did": [], "failed_gates": [], "text": "It worked."}
    result |= {"names": names, "records": {"s": text}, "unrecorded": {}}
    monkeypatch.setattr(start, "start", lambda *_, **__: Lying(result))
    before = e2e.document()
    told: list[dict[str, Any]] = []

    def agree(request: dict[str, Any]) -> str:
        told.append(request["dry_run"]["result"])
        return "approved"

    source = ASKS if asks else "import bpy\n\nbpy.data.objects.new('N', None)\n"
    report = api.apply_plan(script(source), approve=agree)
    assert report.status == "error", report.messages
    assert e2e.document() == before
    assert told[-1]["by_record"] is (not form) and form in told[-1]["form"], told
    if name == "a change that it hid":
        assert "It writes to: objects “Plane”." in told[-1]["form"]
