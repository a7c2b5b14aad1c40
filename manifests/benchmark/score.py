# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores what somebody, or something, made of a task: plain bpy and numpy, without the assistant.

    import score
    task = score.load()["pebbles_bigger"]
    score.prepare(task)            # replaces the open file by the task's scene
    before = score.look(task)
    …                              # the solution works here, on task["prompt"]
    print(score.faults(task, before, refused=False))

``faults`` lists what is wrong, in words; an empty list is a pass. README.md explains what a task may expect.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import bpy

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import builders  # noqa: E402
import measure  # noqa: E402
import snapshot  # noqa: E402

NEAR = 0.01
"""Share by which a length may differ from the one that is expected as a single number."""


def load(path: Path = HERE / "tasks.json") -> dict[str, dict[str, Any]]:
    """The tasks by ID."""
    return {task["id"]: task for task in json.loads(path.read_text(encoding="utf-8"))["tasks"]}


def serves(task: dict[str, Any]) -> bool:
    """Whether this Blender has what the task needs."""
    return bpy.app.version[:2] >= tuple(task.get("from", (4, 2)))


def prepare(task: dict[str, Any]) -> None:
    """Replaces the open file by the scene that the task starts from; the object that it is about is active."""
    builders.build(task["scene"])


def look(task: dict[str, Any]) -> dict[str, Any]:
    """What ``faults`` compares with: the file, and the measures of the task's object."""
    obj = bpy.data.objects.get(task.get("object", ""))
    file = snapshot.snapshot()
    return {
        "file": file,
        "measures": measure.measure(obj) if obj is not None else {},
        "still": obj is not None and _is_still(obj),
    }


def faults(task: dict[str, Any], before: dict[str, Any], refused: bool = False) -> list[str]:
    """What is wrong with the file as it is now; ``refused`` if the solution said that it cannot do the task."""
    after = snapshot.snapshot()
    if task["kind"] == "refuse":
        changed = snapshot.differences(before["file"], after)
        return ([] if refused else ["not refused"]) + [f"changed: {line}" for line in changed[:3]]
    if refused:
        return ["refused"]
    found = untouched(task, before["file"], after)
    found += tree_faults(task)
    found += geometry_faults(task, before["measures"])
    found += scene_faults(task, before, after)
    now = snapshot.snapshot()
    if now["objects"] != after["objects"]:
        raise RuntimeError("the scorer left an input changed")
    return found


# What must not have been touched.


def untouched(task: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What was changed that the task does not speak of: objects, their data, modifiers, nodes, links."""
    found: list[str] = []
    free = task.get("free", {})
    for name, old in before["objects"].items():
        new = after["objects"].get(name)
        if new is None:
            found.append(f"object {name} is gone")
            continue
        for key in ("type", "matrix", "hidden", "data"):
            if old[key] != new[key]:
                found.append(f"{key} of object {name} was changed")
        if name != task["object"] and old["materials"] != new["materials"]:
            found.append(f"materials of object {name} were changed")
        found += _modifiers(name, old["modifiers"], new["modifiers"], free)
        if name != task["object"] and len(new["modifiers"]) != len(old["modifiers"]):
            found.append(f"object {name} has other modifiers")
    for name, old_tree in before["trees"].items():
        if name in free.get("groups", ()):
            continue
        new_tree = after["trees"].get(name)
        if new_tree is None:
            found.append(f"node group {name} is gone")
        else:
            found += _tree(name, old_tree, new_tree, free.get("trees", {}).get(name, {}))
    for kind, blocks in before["blocks"].items():
        for name, held in blocks.items():
            now = after["blocks"][kind].get(name)
            if now is not None:
                found += _block(task, kind, name, held, now)
            elif kind not in ("objects", "node_groups"):
                found.append(f"{name} of {kind} is gone")
    return found


# What a solution may change of a block that was there, by kind: it is looked at in another way, or follows.
_MAY_CHANGE = {
    "objects": {"modifiers"},
    "node_groups": {"nodes", "links", "interface", "custom"},
    "scenes": {"objects", "collection"},
    "collections": {"objects", "children", "all_objects"},
}
_OF_THE_OBJECT = {"material_slots", "active_material", "active_material_index", "materials"}


def _block(task: dict[str, Any], kind: str, name: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What else of a data-block was changed."""
    free = set(_MAY_CHANGE.get(kind, ()))
    obj = bpy.data.objects.get(task["object"])
    if obj is not None and (kind, name) in {("objects", obj.name), *_data(obj)}:
        free |= _OF_THE_OBJECT
    found = [f"{key} of {name} of {kind} was changed" for key in old if key not in free and old[key] != new.get(key)]
    for key in ("objects", "children"):
        lost = [one for one in old.get(key, ()) if one not in new.get(key, ())] if kind == "collections" else []
        found += [f"{one} is no longer in the collection {name}: it was changed" for one in lost]
    if kind == "scenes":
        lost = [one for one in old["collection"]["objects"] if one not in new["collection"]["objects"]]
        found += [f"{one} is no longer in the scene: it was changed" for one in lost]
    return found


def _data(obj: Any) -> list[tuple[str, str]]:
    """Where the object's own data may be."""
    kinds = ("meshes", "curves", "hair_curves", "pointclouds", "volumes")
    return [(kind, obj.data.name) for kind in kinds if obj.data is not None]


def _modifiers(name: str, old: list[Any], new: list[Any], free: dict[str, Any]) -> list[str]:
    found = []
    there = {modifier["name"]: modifier for modifier in new}
    for modifier in old:
        now = there.get(modifier["name"])
        if now is None:
            found.append(f"modifier {modifier['name']} of {name} is gone")
            continue
        for key in ("type", "shown", "rendered") + (() if "group" in free.get("modifiers", ()) else ("group",)):
            if modifier.get(key) != now.get(key):
                found.append(f"{key} of modifier {modifier['name']} of {name} was changed")
        for label, value in modifier.get("inputs", {}).items():
            if label not in free.get("inputs", ()) and now.get("inputs", {}).get(label) != value:
                found.append(f"input {label} of modifier {modifier['name']} of {name} was changed")
        for label, value in modifier.get("sources", {}).items():
            if "group" not in free.get("modifiers", ()) and now.get("sources", {}).get(label, value) != value:
                found.append(f"where {label} of modifier {modifier['name']} of {name} comes from was changed")
    order = [modifier["name"] for modifier in new if modifier["name"] in {modifier["name"] for modifier in old}]
    if order != [modifier["name"] for modifier in old if modifier["name"] in there]:
        found.append(f"the modifiers of {name} are in another order")
    return found


def _tree(name: str, old: dict[str, Any], new: dict[str, Any], free: dict[str, Any]) -> list[str]:
    found = []
    loose = set(free.get("nodes", ()))
    for node, state in old["nodes"].items():
        if node in loose:
            continue
        now = new["nodes"].get(node)
        if now is None:
            found.append(f"node {node} of {name} is gone")
            continue
        cut = {pair[1] for pair in free.get("links", ())} | set(free.get("linked", ()))
        for key in ("type", "label", "parent", "properties"):
            if state[key] != now[key]:
                found.append(f"{key} of node {node} of {name} was changed")
        for socket, value in state["values"].items():
            # An input that was linked since has no value of its own any more.
            if now["values"].get(socket, value if node in cut else None) != value:
                found.append(f"{socket} of node {node} of {name} was changed")
    pairs = {tuple(pair) for pair in free.get("links", ())}
    now_links = [tuple(link) for link in new["links"]]
    for link in old["links"]:
        ends = {link[0], link[2]}
        if not ends & loose and (link[0], link[2]) not in pairs and tuple(link) not in now_links:
            found.append(f"link {link[0]} → {link[2]} of {name} is gone")
    kept = [pair for pair in old["order"] if not set(pair) & loose and pair in new["order"]]
    if kept != [pair for pair in new["order"] if pair in kept]:
        found.append(f"the order of links in {name} was changed")
    sockets = {item.get("id"): item for item in new["interface"] if "id" in item}
    for item in old["interface"]:
        if "id" not in item or item["name"] in free.get("interface", ()):
            continue
        now = sockets.get(item["id"])
        if now != item:
            found.append(f"{item['in_out'].lower()} {item['name']} of {name} was changed")
    return found


# What the tree must be.


def tree_faults(task: dict[str, Any]) -> list[str]:
    """Whether the nodes are as the task asks: types and their number, inputs of the modifier, links."""
    wanted = task.get("tree", {})
    found: list[str] = []
    if not wanted:
        return found
    modifier = node_modifier(task)
    if modifier is None:
        return [f"{task['object']} has no Geometry Nodes modifier"]
    trees = _trees(modifier.node_group)
    types = [node.bl_idname for tree in trees for node in tree.nodes]
    for kind, number in wanted.get("nodes", {}).items():
        found += _compare(f"nodes of type {kind}", number, sum(types.count(one) for one in kind.split("|")))
    inputs = {
        item.name.casefold(): item
        for item in modifier.node_group.interface.items_tree
        if item.item_type == "SOCKET" and item.in_out == "INPUT"
    }
    for name, properties in wanted.get("inputs", {}).items():
        item = inputs.get(name.casefold())
        if item is None:
            found.append(f"no input {name}")
            continue
        for key, value in properties.items():
            actual = item.socket_type.removeprefix("NodeSocket") if key == "type" else getattr(item, key, None)
            found += _compare(f"{key} of input {name}", value, snapshot.plain(actual))
    if "groups" in wanted:
        found += _compare("node groups within the tree", wanted["groups"], len(trees) - 1)
    for name in wanted.get("absent", ()):
        if any(node.name == name for tree in trees for node in tree.nodes):
            found.append(f"node {name} is still there")
    for name in wanted.get("muted", ()):
        if not any(node.name == name and node.mute for tree in trees for node in tree.nodes):
            found.append(f"node {name} is not muted")
    for title, names in wanted.get("frames", {}).items():
        inside = [
            {node.name for node in tree.nodes if node.parent == frame}
            for tree in trees
            for frame in tree.nodes
            if frame.bl_idname == "NodeFrame" and frame.label.casefold() == title.casefold()
        ]
        if not any(set(names) <= nodes for nodes in inside):
            found.append(f"no frame {title} around {', '.join(names)}")
    for name, label in wanted.get("labels", {}).items():
        if not any(node.name == name and node.label.casefold() == label.casefold() for t in trees for node in t.nodes):
            found.append(f"node {name} is not labelled {label}")
    return found


def node_modifier(task: dict[str, Any]) -> Any:
    """The modifier that the task is about: the one it names, else the object's last with nodes."""
    obj = bpy.data.objects.get(task["object"])
    if obj is None:
        return None
    named = obj.modifiers.get(task.get("modifier", ""))
    found = [modifier for modifier in obj.modifiers if modifier.type == "NODES" and modifier.node_group]
    return named or (found[-1] if found else None)


def _trees(root: Any) -> list[Any]:
    todo, seen = [root], []
    while todo:
        tree = todo.pop()
        if tree is None or tree in seen:
            continue
        seen.append(tree)
        todo += [node.node_tree for node in tree.nodes if getattr(node, "node_tree", None)]
    return seen


# What the result must be.


def geometry_faults(task: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Whether the evaluated geometry is as expected, in every state that the task names."""
    found: list[str] = []
    scene = bpy.context.scene
    frame = scene.frame_current
    states: list[dict[str, Any]] = []
    for number, state in enumerate(task.get("expect", ())):
        obj = bpy.data.objects.get(state.get("object", task["object"]))
        if obj is None:
            return [*found, f"no object {state.get('object', task['object'])}"]
        title = "".join(f", {name} {value}" for name, value in state.get("inputs", {}).items())
        title += f", frame {state['frame']}" if "frame" in state else ""
        saved: list[tuple[Any, str, Any]] = []
        try:
            try:
                saved = _set(task, state.get("inputs", {}))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                found.append(f"input {error} cannot be set{title}")
                states.append({})
                continue
            if "frame" in state:
                for step in range(1, state["frame"] + 1) if state.get("played") else [state["frame"]]:
                    scene.frame_set(step)
            values = measure.measure(obj)
        finally:
            for modifier, name, value in saved:
                snapshot.set_input(modifier, name, value)
            if scene.frame_current != frame:
                scene.frame_set(frame)
        states.append(values)
        for path, wanted in state.get("measures", {}).items():
            found += [line + title for line in _compare(path, wanted, _at(values, path))]
        for key, equal in (("same_as", True), ("differs_from", False)):
            if key in state:
                other = before if state[key] == "before" else states[state[key]]
                if (other.get("digest") == values["digest"]) is not equal:
                    found.append(f"the result is {'not ' if equal else ''}that of state {state[key]}{title}")
        for path, factor in state.get("times_before", {}).items():
            old = _at(before, path)
            wanted = None if old is None else _scaled(old, factor)
            found += [line + title for line in _compare(path, wanted, _at(values, path))]
        warnings = [line for line in values["warnings"] if line not in before.get("warnings", ())]
        if warnings or not values["finite"]:
            found.append(f"{warnings or 'positions are not finite'}{title}")
        if number == 0 and not values["vertices"] and not values["curve_points"] and not values["points"]:
            found += [] if values["volumes"] else ["nothing is left to see"]
    return found


FRAMES_LATER = 9


def _is_still(obj: Any) -> bool:
    """Whether the object shows the same some frames later."""
    scene = bpy.context.scene
    frame = scene.frame_current
    one = measure.measure(obj)["digest"]
    scene.frame_set(frame + FRAMES_LATER)
    other = measure.measure(obj)["digest"]
    scene.frame_set(frame)
    return one == other


def scene_faults(task: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What an artist would stumble over beside the object: what is in sight but not rendered, what moves, what stands
    in the scene that nobody asked for.
    """
    found = []
    obj = bpy.data.objects.get(task["object"])
    for modifier in obj.modifiers if obj is not None else ():
        if modifier.show_viewport and not modifier.show_render:
            found.append(f"modifier {modifier.name} is not rendered")
    moves = any("frame" in state for state in task.get("expect", ()))
    if obj is not None and before["still"] and not moves and not _is_still(obj):
        found.append("the result changes with the frame")
    named = {state.get("object") for state in task.get("expect", ())} | {task["object"]}
    for name, held in after["blocks"]["objects"].items():
        new = name not in before["file"]["objects"] and name not in named
        if new and held["shown"] and not held["hide_viewport"] and held["type"] in _GEOMETRY:
            found.append(f"the new object {name} stands in the scene")
    return found


_GEOMETRY = {"MESH", "CURVE", "SURFACE", "META", "FONT", "CURVES", "POINTCLOUD", "VOLUME"}


def _set(task: dict[str, Any], inputs: dict[str, Any]) -> list[tuple[Any, str, Any]]:
    saved = []
    if inputs:
        modifier = node_modifier(task)
        if modifier is None:
            raise KeyError("of no modifier")
        old = {name.casefold(): value for name, value in snapshot.modifier_inputs(modifier).items()}
        for name, value in inputs.items():
            known = old[name.casefold()]
            snapshot.set_input(modifier, name, value)
            saved.append((modifier, name, _live(known)))
    return saved


def _live(value: Any) -> Any:
    """A value as it was read: data-blocks by their name."""
    if isinstance(value, str) and value.split(" ", 1)[0] in ("Object", "Collection", "Material"):
        return value.split(" ", 1)[1]
    return value


def _at(values: dict[str, Any], path: str) -> Any:
    found: Any = values
    for key in path.split("/"):
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found


def _scaled(old: float, factor: Any) -> Any:
    if isinstance(factor, list):
        ends = [None if end is None else old * end for end in factor]
        return sorted(ends) if None not in ends else ends
    return old * factor if isinstance(old, float) or factor != 1 else old


def _compare(path: str, wanted: Any, actual: Any) -> list[str]:
    """A number must be hit (lengths within a hundredth), a list names the least and the greatest, null is open."""
    good = actual == wanted
    number = isinstance(actual, (int, float)) and not isinstance(actual, bool)
    if isinstance(wanted, list) and number:
        low, high = wanted
        good = (low is None or actual >= low - 1e-4) and (high is None or actual <= high + 1e-4)
    elif isinstance(wanted, float) and number:
        good = math.isclose(actual, wanted, rel_tol=NEAR, abs_tol=2e-3)
    if good:
        return []
    shown = round(actual, 4) if isinstance(actual, float) else actual
    return [f"{path} is {shown}, not {wanted}"]
