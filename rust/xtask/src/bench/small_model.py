# SPDX-License-Identifier: GPL-3.0-or-later
"""What a small real model plans of simple prompts, measured inside Blender for ``cargo xtask bench --small-model``.

The model is SmolLM2-135M behind llama.cpp's own server, which the tests install. A plan is valid when the assistant
accepts it and its result passes the gates; it is right when the evaluated object is what the prompt asks for. It
prints ``figure [name, value, unit, limit]`` lines, and what became of each prompt to the error output.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parents[4] / "tests" / "provider"))

import peers  # noqa: E402
from geonode_assistant import api  # noqa: E402

Shown = dict[str, Any]


def shown() -> Shown:
    """What the evaluated plane shows: counts of its own geometry, instances, bounds of all, materials."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    thing = bpy.data.objects["Plane"]
    mesh = thing.evaluated_get(graph).to_mesh()
    found: Shown = {"vertices": 0, "edges": 0, "faces": 0, "instances": 0, "materials": [], "smooth": False}
    places = []
    if mesh is not None:
        found |= {"vertices": len(mesh.vertices), "edges": len(mesh.edges), "faces": len(mesh.polygons)}
        found["materials"] = [one.name for one in mesh.materials if one]
        found["smooth"] = any(face.use_smooth for face in mesh.polygons)
        places += [tuple(vertex.co) for vertex in mesh.vertices]
    for one in graph.object_instances:
        if one.is_instance and one.parent and one.parent.original == thing:
            found["instances"] += 1
            places += [tuple(one.matrix_world @ corner) for corner in corners(one.object)]
    for axis, name in enumerate("xyz"):
        values = [place[axis] for place in places] or [0.0]
        found[f"low_{name}"], found[f"high_{name}"] = min(values), max(values)
        found[f"size_{name}"] = max(values) - min(values)
    return found


def corners(thing: Any) -> list[Any]:
    import mathutils

    return [mathutils.Vector(corner) for corner in thing.bound_box]


def near(value: float, wanted: float) -> bool:
    return abs(value - wanted) <= 0.02 + 0.02 * abs(wanted)


PROMPTS: dict[str, Callable[[Shown], bool]] = {
    "subdivide the plane 3 times": lambda s: s["faces"] == 64,
    "scatter 50 cubes on the plane": lambda s: 25 <= s["instances"] <= 60 and s["size_z"] > 0.01,
    "replace the plane with a cone": lambda s: s["vertices"] > 8 and s["high_z"] > 0.5 and near(s["low_x"], -1),
    "put a small sphere on every point of the plane": lambda s: s["instances"] == 4,
    "an array of 6 cubes along x": lambda s: s["instances"] == 6 and s["size_x"] > 3 * s["size_y"],
    "move the plane up by 2 m": lambda s: near(s["low_z"], 2) and s["faces"] == 1,
    "make the plane twice as large": lambda s: near(s["size_x"], 4) and near(s["size_y"], 4),
    "extrude the face by half a metre": lambda s: near(s["size_z"], 0.5) and s["faces"] >= 5,
    "displace the plane with noise": lambda s: s["size_z"] > 0.01 and s["faces"] > 16,
    "a ring of 8 cubes": lambda s: (
        s["instances"] == 8 and s["size_x"] > 0.5 and abs(s["size_x"] - s["size_y"]) < 0.1 * s["size_x"]
    ),
    "a grid of 5 by 5 spheres": lambda s: s["instances"] == 25 and near(s["size_x"], s["size_y"]),
    "a cylinder that is 3 m high": lambda s: near(s["size_z"], 3) and s["vertices"] > 8,
    "turn the plane by 45 degrees around z": lambda s: near(s["size_x"], 2**1.5) and near(s["size_y"], 2**1.5),
    "shade the plane smooth": lambda s: s["smooth"] and s["faces"] == 1,
    "a spiral staircase with 12 steps": lambda s: s["size_z"] > 0.5 and max(s["instances"], s["faces"] // 6) >= 12,
    "a wireframe of the plane": lambda s: s["faces"] > 4 and s["size_z"] > 0.001,
    "add an icosphere above the plane": lambda s: s["vertices"] > 12 and s["high_z"] > 0.5 and near(s["size_x"], 2),
    "delete everything and show a torus": lambda s: s["vertices"] > 30 and s["size_z"] > 0.05,
    "turn the plane into points": lambda s: s["vertices"] == 4 and s["faces"] == 0 and s["edges"] == 0,
    "grow grass on the plane": lambda s: s["size_z"] > 0.01 and max(s["instances"], s["vertices"]) > 100,
}


def main() -> None:
    valid = right = turns = 0
    seconds = []
    with peers.started("model") as urls:
        for prompt, is_right in PROMPTS.items():
            bpy.ops.wm.read_factory_settings(use_empty=True)
            bpy.ops.mesh.primitive_plane_add()
            begin = time.perf_counter()
            report = api.run(
                prompt,
                provider="openai-compatible",
                model="smollm2",
                base_url=urls["model"],
                approve="all",
                timeout_s=900,
                settings={"max_tokens": 900, "temperature": 0, "timeout_s": 600},
            )
            seconds.append(time.perf_counter() - begin)
            made = shown()
            good = report.status == "done" and is_right(made)
            valid += report.status == "done"
            right += good
            turns += report.to_dict()["attempts"]
            why = "" if good else json.dumps(report.error["text"][:120] if report.error else made)
            print(f"{report.status:6} {'right' if good else 'wrong':6} {prompt} {why}", file=sys.stderr, flush=True)
    figures: list[list[Any]] = [
        ["simple prompts to a model of 135M parameters", len(PROMPTS), "prompts", None],
        ["of them with a valid plan, at least 16", valid, "prompts", None],
        ["of them right", right, "prompts", None],
        ["turns", turns, "turns", None],
        ["a prompt, median", sorted(seconds)[len(seconds) // 2], "s", None],
    ]
    for figure in figures:
        print("figure", json.dumps(figure))


if __name__ == "__main__":
    main()
