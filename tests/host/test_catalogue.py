# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped catalogues match the running Blender."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
from geonode_assistant.host import catalogue

LEAST_TYPES = {(4, 2): 256, (4, 5): 297, (5, 0): 321, (5, 2): 360}


def test_shipped_copy_equals_live(empty: None) -> None:
    before = sorted((b.id_type, b.name) for b in bpy.data.user_map())
    live = catalogue.introspect()
    assert sorted((b.id_type, b.name) for b in bpy.data.user_map()) == before
    shipped = catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2])
    assert len(live["nodes"]) == LEAST_TYPES[bpy.app.version[:2]]
    assert shipped.read_text(encoding="utf-8") == catalogue.dumps(live)


def test_every_state_is_reachable_and_compact() -> None:
    read = json.loads((catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2])).read_text(encoding="utf-8"))
    for name, node in read["nodes"].items():
        used = set(node.get("variants", {}).values()) | {0}
        assert used == set(range(len(node["states"]))), name
        assert len({json.dumps(state) for state in node["states"]}) == len(node["states"]), name
    size = sum(path.stat().st_size for path in catalogue.SHIPPED.glob("*.json"))
    assert size < 4 * 1_500_000


def test_the_catalogue_has_what_the_planner_needs() -> None:
    read = json.loads((catalogue.SHIPPED / "{}.{}.json".format(*bpy.app.version[:2])).read_text(encoding="utf-8"))
    math = read["nodes"]["ShaderNodeMath"]
    assert [s["identifier"] for s in math["states"][0]["inputs"]] == ["Value", "Value_001", "Value_002"]
    assert math["state_properties"] == ["operation"]
    sine = math["states"][math["variants"]["SINE"]]["inputs"]
    assert [s["available"] for s in sine] == [True, False, False]
    vertices = next(
        s for s in read["nodes"]["GeometryNodeMeshCube"]["states"][0]["inputs"] if s["name"] == "Vertices X"
    )
    assert (vertices["min"], vertices["max"], vertices["structure"]) == (2, 1000, "single")
    assert read["nodes"]["GeometryNodeRepeatInput"]["category"] == "zone:repeat:in"
    assert "NodeSocketGeometry" not in read["conversions"]["NodeSocketFloat"]
    assert "NodeSocketVector" in read["conversions"]["NodeSocketFloat"]


def test_unknown_build_is_cached(tmp_path: Path, monkeypatch: object, empty: None) -> None:
    assert catalogue.catalogue_for_this_blender(tmp_path).parent == catalogue.SHIPPED
    monkeypatch.setattr(catalogue, "build_hash", lambda: "0123456789ab")  # type: ignore[attr-defined]
    made = catalogue.catalogue_for_this_blender(tmp_path)
    assert made.parent == tmp_path and "0123456789ab" in made.name
    stamp = made.stat().st_mtime_ns
    assert catalogue.catalogue_for_this_blender(tmp_path) == made
    assert made.stat().st_mtime_ns == stamp
