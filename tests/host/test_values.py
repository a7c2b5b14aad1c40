# SPDX-License-Identifier: GPL-3.0-or-later
"""RNA values to JSON and back; node IDs."""

from __future__ import annotations

import math
import random
import re
import struct
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.host import deferred_updates, identity, values
from geonode_assistant.host.errors import HostError
from mathutils import Euler, Matrix, Vector


def test_floats_are_the_shortest_decimals_of_the_same_32_bits() -> None:
    assert [values.shortest_float(values.float32(v)) for v in (0.1, 1 / 3, 1e-9, 16777216.0, -0.0)] == [
        0.1,
        0.33333334,
        1e-9,
        16777216.0,
        0.0,
    ]
    draw = random.Random(7)
    for _ in range(20_000):
        bits = draw.getrandbits(32)
        value = struct.unpack("f", struct.pack("I", bits))[0]
        if math.isfinite(value):
            assert values.float32(values.shortest_float(value)) == value
            assert len(repr(values.shortest_float(value))) <= len(repr(value))
    assert (
        values.shortest_float(math.inf) == values.float32(3.4028234663852886e38)
        and values.shortest_float(math.nan) == 0.0
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Vector((1, 0.1, 2)), [1.0, 0.1, 2.0]),
        (Euler((0, math.pi, 0)), [0.0, 3.1415927, 0.0]),
        (
            Matrix.Translation((1, 2, 3)),
            [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0],
        ),
        ({"B", "A"}, ["A", "B"]),
        (None, None),
        (True, True),
        (3, 3),
        ("é\n", "é\n"),
    ],
)
def test_json_of_rna_values(value: Any, expected: Any) -> None:
    assert values.to_json(value) == expected


def test_data_blocks_are_referred_to_by_name(empty: None) -> None:
    material = bpy.data.materials.new("Stone")
    assert values.to_json(material) == {"material": "Stone"}
    assert values.from_json({"material": "Stone"}) == material
    for value, code in (
        ({"material": "Stome"}, "unknown_data_block"),
        ({"object": "X"}, "unknown_object"),
        ({"spaceship": "X"}, "invalid_value"),
        ({"a": 1, "b": 2}, "invalid_value"),
    ):
        with pytest.raises(HostError) as refused:
            values.from_json(value)
        assert refused.value.code == code
    with pytest.raises(HostError, match='Did you mean "Stone"'):
        values.from_json({"material": "Stome"})


def test_a_refused_value_lists_legal_ones(empty: None) -> None:
    tree = bpy.data.node_groups.new("T", "GeometryNodeTree")
    node = tree.nodes.new("ShaderNodeMath")
    with pytest.raises(HostError, match="'ADD'") as refused:
        values.assign(node, "operation", "PLUS")
    assert refused.value.code == "invalid_value"
    values.assign(node.inputs[0], "default_value", 2)
    assert node.inputs[0].default_value == 2.0


def test_ids_with_duplicates_and_collisions(empty: None) -> None:
    tree = bpy.data.node_groups.new("T", "GeometryNodeTree")
    for name, stamp in (("A", None), ("B", "noise"), ("C", "noise"), ("D", "A"), ("E", "F"), ("F", None), ("G", 7)):
        node = tree.nodes.new("ShaderNodeMath")
        node.name = name
        if stamp is not None:
            node[identity.STAMP] = stamp
    before = [dict(node.items()) for node in tree.nodes]
    assert identity.node_ids(tree) == ["A", "noise", "C", "D", "F", "F#2", "G"]
    assert [dict(node.items()) for node in tree.nodes] == before


def test_suppression_works_here_and_cleans_up(empty: None) -> None:
    tree = bpy.data.node_groups.new("T", "GeometryNodeTree")
    deferred_updates.works = None
    with deferred_updates.suppression() as suppressor:
        assert deferred_updates.works is True
        suppressor.run(lambda: tree.nodes.new("ShaderNodeMath"), tree)
        with pytest.raises(ZeroDivisionError):
            suppressor.run(lambda: 1 / 0, tree)
    assert [g.name for g in bpy.data.node_groups] == ["T"] and len(tree.nodes) == 1
    deferred_updates.release()
    assert bpy.types.NodeTree.bl_rna_get_subclass_py(deferred_updates.HELPER_TYPE) is None
    with deferred_updates.suppression() as suppressor:  # registered again
        suppressor.run(lambda: tree.nodes.new("ShaderNodeMath"), tree)
    assert [g.name for g in bpy.data.node_groups] == ["T"] and len(tree.nodes) == 2


def test_edits_without_suppression_give_the_same_result(empty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from geonode_assistant.host import apply, export
    from making import step, through

    apply.apply_delta(step(through("A")))
    monkeypatch.setattr(deferred_updates, "works", False)
    apply.apply_delta(step(through("B")))
    a, b = (export.export_one(bpy.data.node_groups[name])[0] for name in "AB")
    assert a == b


def test_every_code_is_registered() -> None:
    root = Path(__file__).resolve().parents[2]
    registry = (root / "rust" / "protocol" / "src" / "codes" / "registry.rs").read_text(encoding="utf-8")
    used = {
        code
        for path in (root / "addon" / "geonode_assistant" / "host").glob("*.py")
        for code in re.findall(r'HostError\(\s*"([a-z_]+)"', path.read_text(encoding="utf-8"))
    }
    assert len(used) > 10
    assert {code for code in used if f'"{code}"' not in registry} == set()
