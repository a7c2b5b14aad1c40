# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the pictures of the gallery: every preset that ships is carried out by its own example, and rendered.

cargo xtask env 5.2 --checked -- python tests/blender/preset_pictures.py [ID …]
"""

from __future__ import annotations

import sys
from typing import Any

import bpy
from geonode_assistant.cli import e2e
from geonode_assistant.host import picture
from geonode_assistant.run import presets, session, starting

SIZE = (128, 128)
OBJECTS: list[dict[str, Any]] = [
    {"name": "Plane", "primitive": "grid", "size": 4},
    {"name": "Cube", "primitive": "cube"},
    {"name": "Sphere", "primitive": "ico_sphere", "location": [0.9, -0.9, 0.9]},
    {"name": "Suzanne", "primitive": "monkey"},
    {"name": "Curve", "primitive": "bezier_curve", "size": 4},
]
# What shows more in a small picture than the first example: a wish, and another place of the sphere.
OTHERS: dict[str, tuple[str, tuple[float, float, float] | None]] = {
    "cables": ("hang 5 cables between the cube and the sphere", (5, 0, 0)),
    "chain": ("turn the curve into a chain with links of 40 cm", None),
    "delete_faces": ("delete a random half of the faces of the sphere", None),
    "effector": ("push the points of the plane away from the cube within 2 m", None),
    "falloff_scatter": ("scatter 80 rocks on the plane, denser in the middle", None),
    "follow_curve": ("deform Suzanne along the curve", None),
    "leaves": ("cover the plane with 150 fallen leaves, 30 cm long", None),
    "mirror": ("make Suzanne symmetrical along y", None),
    "rope": ("turn the curve into a rope of 4 strands, 30 cm thick", None),
    "scatter": ("scatter 40 rocks on the plane", None),
    "solidify": ("give the plane a thickness of 40 cm", None),
    "wireframe": ("turn the sphere into a wireframe", None),
}
# Motion is in the middle of its way.
FRAME = 20


def scene(active: str) -> None:
    """What the examples speak of, far apart."""
    session.current.reset("")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    e2e.build_start({"objects": OBJECTS, "active": active}, None)


def carry_out(preset: dict[str, Any]) -> Any:
    """The object that shows the preset."""
    scene("Curve" if preset["targets"] == ["CURVE"] else "Plane")
    words, place = OTHERS.get(preset["id"], (preset["example"], None))
    if place is not None:
        bpy.data.objects["Sphere"].location = place
    bpy.context.scene.frame_set(FRAME)
    starting.start(words, approve="all")
    while session.current.running:
        session.current.poll()
    results = session.current.results
    return results[0].id_data if results else None


def main(chosen: list[str]) -> None:
    presets.PICTURES.mkdir(exist_ok=True)
    for preset in presets.list():
        if preset["own"] or chosen and preset["id"] not in chosen:
            continue
        shown = carry_out(preset)
        if shown is None:
            print(f"{preset['id']}: no result by “{preset['example']}”: {session.current.messages}")
            continue
        picture.render(shown, presets.PICTURES / f"{preset['id']}{presets.SHIPPED}", SIZE)


if __name__ == "__main__":
    main(sys.argv[1:])
