# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees that hold Blender for long or need much memory are asked about, and nothing of them is evaluated before."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant import api
from whole_file import GEOMETRY, end, fresh_scene, plan

ITEMS = [{"name": "Geometry", "socket_type": GEOMETRY}]


@pytest.fixture(autouse=True)
def scene() -> None:
    fresh_scene()


def risks(*operations: dict[str, Any]) -> list[str]:
    report = api.apply_plan({**plan(*operations), "version": "1.2"}, approve="none")
    assert "X" not in bpy.data.objects["Plane"].modifiers
    return [message["text"] for message in report.messages if message["code"] == "BLOWUP_RISK"]


def node(node_id: str, kind: str, **values: Any) -> list[dict[str, Any]]:
    made = {"op": "create_node", "node_id": node_id, "bl_idname": kind}
    sets = [
        {"op": "set_input_default", "node_id": node_id, "socket": name.replace("_", " "), "value": value}
        for name, value in values.items()
    ]
    return [made, *sets]


def link(one: dict[str, str], other: dict[str, str]) -> dict[str, Any]:
    return {"op": "link", "from": one, "to": other}


def repeated(iterations: int) -> list[dict[str, Any]]:
    return [
        {"op": "add_zone", "id": "z", "kind": "repeat", "items": ITEMS},
        {"op": "set_input_default", "node_id": "z.in", "socket": "Iterations", "value": iterations},
        *node("up", "GeometryNodeTransform", Translation=[0, 0, 1e-5]),
        link(end("group_input"), end("z.in")),
        link(end("z.in"), end("up")),
        link(end("up"), end("z.out")),
        link(end("z.out"), end("group_output")),
    ]


def cut(level: int, solver: str) -> list[dict[str, Any]]:
    return [
        *node("a", "GeometryNodeMeshIcoSphere", Subdivisions=level),
        *node("b", "GeometryNodeMeshIcoSphere", Subdivisions=level),
        *node("aside", "GeometryNodeTransform", Translation=[0.3, 0.1, 0.07]),
        {**node("cut", "GeometryNodeMeshBoolean")[0], "properties": {"solver": solver}},
        link(end("b", "Mesh"), end("aside")),
        link(end("a", "Mesh"), end("cut", "Mesh 1")),
        link(end("aside"), end("cut", "Mesh 2")),
        link(end("cut", "Mesh"), end("group_output")),
    ]


def test_a_million_iterations_are_asked_about_and_a_thousand_are_not() -> None:
    assert "Iterations 1,000,000" in risks(*repeated(1_000_000))[0]
    assert risks(*repeated(1_000)) == []


@pytest.mark.parametrize("solver", ["EXACT", "FLOAT"])
def test_solids_of_half_a_million_faces_cut_by_each_other_are_asked_about(solver: str) -> None:
    assert risks(*cut(9, solver))
    assert risks(*cut(5, solver)) == []
