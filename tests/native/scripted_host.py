# SPDX-License-Identifier: GPL-3.0-or-later
"""A host without Blender: it holds objects and trees as data, applies deltas to them, and measures only structure.

It implements the contract (`rust/run/EFFECTS.md`, `rust/graph/FORMATS.md`) as far as the core needs, and
records the order of effects. Faults are injected by name of the effect.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

Effect = dict[str, Any]


class Host:
    """A scene with one plane without modifiers, and the changes that a run makes to it."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {
            "Plane": {"type": "MESH", "library": False, "modifiers": []},
            "Rock": {"type": "MESH", "library": False, "modifiers": []},
        }
        self.trees: dict[str, Any] = {}
        self.made: dict[str, dict[str, Any]] = {}
        """Tree → the mark that runs left on it."""
        self.snapshot: tuple[Any, Any] | None = None
        self.done: list[str] = []
        self.effects: list[Effect] = []
        self.events: list[dict[str, Any]] = []
        self.faults: dict[str, tuple[str, str]] = {}
        self.change_evidence: Callable[[dict[str, Any]], None] | None = None
        self.before_effect: Callable[[Host, Effect], None] | None = None
        self.commits: list[str] = []
        self.scripts: list[dict[str, Any]] = []
        self.whole = False
        self.trial: dict[str, Any] = {"ok": True, "text": "The dry run worked.", "seconds": 1.0, "peak_mb": 100}
        """What comes of trying a plan in another process."""
        self.answers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "modifier_stack": lambda arguments: {"object": "Plane", "modifiers": self.objects["Plane"]["modifiers"]},
        }
        """The results of tools by ID; an exception is a failure of the tool."""

    # The effects

    def capture_context(self, effect: Effect) -> dict[str, Any]:
        objects = [
            {
                "name": name,
                "type": value["type"],
                "location": [0, 0, 0],
                "scale": [1, 1, 1],
                "dimensions": [10, 10, 0],
                "bounds": [[-5, -5, 0], [5, 5, 0]],
                "visible": True,
                "selected": name == "Plane",
                "counts": {"vertices": 4, "edges": 4, "faces": 1},
                "modifiers": value["modifiers"],
            }
            for name, value in sorted(self.objects.items())
        ]
        return {
            "blender": [5, 2, 3],
            "units": {"system": "METRIC", "scale_length": 1.0, "length": "METERS"},
            "frame": {"start": 1, "end": 250, "current": 1},
            "active_object": "Plane",
            "selection": ["Plane"],
            "target_object": effect["object"] or "Plane",
            "target_modifier": effect["modifier"],
            "target_node_group": None,
            "objects": objects,
            "collections": [],
            "materials": [],
            "images": [],
            "node_groups": [{"name": n, "users": 1, "nodes": len(t["nodes"])} for n, t in self.trees.items()],
        }

    def inspect(self, effect: Effect) -> dict[str, Any]:
        objects = {name: self.objects[name] for name in effect["objects"] if name in self.objects}
        wanted = set(effect["trees"]) | {m["node_group"] for o in objects.values() for m in o["modifiers"]}
        trees = {name: tree for name, tree in self.trees.items() if name in wanted}
        info = {
            name: {"users": 1, "library": False, "type": "GeometryNodeTree"}
            | ({"made": self.made[name]} if name in self.made else {})
            for name in trees
        }
        names = {"object": list(self.objects), "node_group": list(self.trees)}
        return copy.deepcopy(
            {"objects": objects, "trees": trees, "tree_info": info, "names": names, "fingerprint": "x"}
        )

    def call_tools(self, effect: Effect) -> dict[str, Any]:
        return {"results": [self._call(call) for call in effect["calls"]]}

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        started = time.monotonic()
        try:
            result = {"ok": True, "result": copy.deepcopy(self.answers[call["tool"]](call["arguments"]))}
        except Exception as error:
            result = {"ok": False, "error": {"code": "internal_error", "message": str(error)}}
        return result | {"ms": (time.monotonic() - started) * 1000}

    def dry_run(self, effect: Effect) -> dict[str, Any]:
        return copy.deepcopy(self.trial)

    def begin(self, effect: Effect) -> dict[str, Any]:
        if not effect["extend"]:
            assert self.snapshot is None
            self.snapshot = copy.deepcopy((self.objects, self.trees))
            self.whole = effect["whole"]
        return {}

    def apply_step(self, effect: Effect) -> dict[str, Any]:
        assert self.snapshot is not None, "a write outside a transaction"
        delta = effect["delta"]
        for edit in delta.get("trees", []):
            self._edit_tree(edit)
        for edit in delta.get("modifiers", []):
            modifiers = self.objects[edit["object"]]["modifiers"]
            if edit["create"]:
                modifiers.append({"name": edit["name"], "type": "NODES", "inputs": {}})
            next(m for m in modifiers if m["name"] == edit["name"])["node_group"] = edit["node_group"]
        return {"applied": {"trees": len(delta.get("trees", [])), "modifiers": len(delta.get("modifiers", []))}}

    def execute_step(self, effect: Effect) -> dict[str, Any]:
        assert self.snapshot is not None, "a write outside a transaction"
        assert self.whole or effect["action_type"] != "PYTHON", (
            "a script in a transaction that does not cover the whole file"
        )
        self.scripts.append(effect["payload"])
        self.objects[f"Script {len(self.scripts)}"] = {"type": "EMPTY", "library": False, "modifiers": []}
        return {"message": "printed"}

    def _edit_tree(self, edit: dict[str, Any]) -> None:
        if edit["create"]:
            self.trees[edit["tree"]] = {"settings": {}, "interface": [], "nodes": [], "links": []}
        tree = self.trees[edit["tree"]]
        keys = {}
        for number, item in enumerate(edit.get("interface", []), start=len(tree["interface"])):
            assert item["op"] == "add"
            keys[item["key"]] = f"Socket_{number}"
            fields = {key: item[key] for key in ("kind", "name", "in_out", "socket_type", "props")}
            tree["interface"].append({"identifier": keys[item["key"]], **fields})
        gone = set(edit.get("remove", []))
        tree["nodes"] = [node for node in tree["nodes"] if node["id"] not in gone]
        tree["links"] = [ln for ln in tree["links"] if ln["from"][0] not in gone and ln["to"][0] not in gone]
        for node in edit.get("add", []):
            tree["nodes"].append({"id": node["id"], "name": node["id"], "type": node["type"], "location": [0, 0]})
        nodes = {node["id"]: node for node in tree["nodes"]}
        for node_id, prop, value in edit.get("props", []):
            nodes[node_id].setdefault("props", {})[prop] = value
        for node_id, socket, value in edit.get("values", []) + edit.get("late_values", []):
            nodes[node_id].setdefault("inputs", {})[keys.get(socket, socket)] = {"value": value}
        for link in edit.get("unlink", []):
            tree["links"] = [ln for ln in tree["links"] if [*ln["from"], *ln["to"]] != link]
        for from_id, from_socket, to_id, to_socket in edit.get("links", []):
            ends = [from_id, keys.get(from_socket, from_socket)], [to_id, keys.get(to_socket, to_socket)]
            tree["links"].append({"from": ends[0], "to": ends[1]})

    def verify(self, effect: Effect) -> dict[str, Any]:
        assert self.snapshot is not None
        evidence = {
            "objects": [
                {
                    "name": name,
                    "modifiers": [{**m, "warnings": []} for m in self.objects[name]["modifiers"]],
                    "evaluated": {
                        "mesh": {"vertices": 8, "edges": 12, "faces": 6},
                        "bounds": [[-1, -1, -1], [1, 1, 1]],
                        "finite": True,
                        "ms": 0.1,
                    },
                }
                for name in effect["objects"]
                if name in self.objects
            ],
            "trees": {name: self.trees[name] for name in effect["trees"]},
            "invalid_links": {},
            "before": self._names(*self.snapshot),
            "after": self._names(self.objects, self.trees),
        }
        evidence = copy.deepcopy(evidence)
        if self.change_evidence:
            self.change_evidence(evidence)
        return evidence

    @staticmethod
    def _names(objects: dict[str, Any], trees: dict[str, Any]) -> dict[str, Any]:
        modifiers = {name: [m["name"] for m in value["modifiers"]] for name, value in objects.items()}
        return {"modifiers": modifiers, "node_groups": list(trees)}

    def restore(self, effect: Effect) -> dict[str, Any]:
        assert self.snapshot is not None
        (self.objects, self.trees), self.snapshot = self.snapshot, None
        return {"equal": True}

    def commit(self, effect: Effect) -> dict[str, Any]:
        assert self.snapshot is not None
        for name, tree in self.trees.items():
            before = {node["id"] for node in self.snapshot[1].get(name, {"nodes": []})["nodes"]}
            if added := [node["id"] for node in tree["nodes"] if node["id"] not in before]:
                made = self.made.setdefault(name, {"as_left": not before, "by": "", "nodes": []})
                made["nodes"] += added
                made["run"] = effect["run"]
        self.snapshot = None
        self.commits.append(effect["message"])
        return {}

    # Driving

    def drive(self, run: Any, timeout_s: float = 20.0, decide: Callable[[Any, Effect], None] | None = None) -> dict:
        """Drives a run to its end; returns the report."""
        deadline = time.monotonic() + timeout_s
        while True:
            run.wait(200)
            turn = run.poll()
            self.events += turn["events"]
            for effect in turn["effects"]:
                self.carry_out(run, effect, decide)
            if turn["finished"]:
                assert not turn["effects"]
                return run.report()
            assert time.monotonic() < deadline, f"stuck in {turn['state']} after {self.done}"

    def carry_out(self, run: Any, effect: Effect, decide: Callable[[Any, Effect], None] | None = None) -> None:
        name = effect["effect"]
        self.done.append(name)
        self.effects.append(effect)
        if self.before_effect:
            self.before_effect(self, effect)
        if name == "ask_approval":
            assert decide is not None
            decide(run, effect)
        elif name in self.faults:
            code, message = self.faults.pop(name)
            run.fail(effect["id"], {"code": code, "message": message})
        else:
            run.answer(effect["id"], getattr(self, name)(effect))


def plan(*operations: dict[str, Any], done: bool = True, step: dict[str, Any] | None = None, **target: str) -> dict:
    """A plan with one NODE_TREE step on the modifier "Nodes" of the plane."""
    names = {"object_name": "Plane", "modifier_name": "Nodes", "node_group_name": "Made"} | target
    payload = {"target": names, "operations": list(operations)}
    first = {"id": "s1", "type": "NODE_TREE", "description": "Make it", "payload": payload} | (step or {})
    return {"version": "1.1", "steps": [first], "done": done, "final_message": "It is made."}


def socket(node_id: str, name: str) -> dict[str, str]:
    """One end of a link."""
    return {"node_id": node_id, "socket": name}


MOVE = (
    {"op": "set_group_io", "direction": "input", "name": "Geometry", "socket_type": "NodeSocketGeometry"},
    {"op": "set_group_io", "direction": "output", "name": "Geometry", "socket_type": "NodeSocketGeometry"},
    {"op": "create_node", "node_id": "move", "bl_idname": "GeometryNodeTransform"},
    {"op": "set_input_default", "node_id": "move", "socket": "Translation", "value": [0, 0, 2]},
    {"op": "link", "from": socket("group_input", "Geometry"), "to": socket("move", "Geometry")},
    {"op": "link", "from": socket("move", "Geometry"), "to": socket("group_output", "Geometry")},
)
# The same as a page.
MOVE_PAGE = """def made(geometry: Geometry) -> Geometry:
    move = transform_geometry(geometry, translation=(0, 0, 2))
    return move

apply("Made", object="Plane", modifier="Nodes")
"""
