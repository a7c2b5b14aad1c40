# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties of trees, nodes and sockets go with a document, as far as one carries them."""

from __future__ import annotations

import json
from typing import Any

import bpy
import pytest
from geonode_assistant.host import custom_properties, identity
from geonode_assistant.host.build import build_tree
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.export import export_tree

VALUES: dict[str, Any] = {
    "whole": 3,
    "number": 0.1,
    "round": 2.0,
    "flag": True,
    "text": 'a "quoted" \\ name',
    "whole numbers": [1, 2, 3],
    "numbers": [0.1, 2.0],
    "flags": [True, False],
    "none": [],
    "nested": {"a": 1, "b": {"c": [1.5, 2.5], "group": "x", "object": "Cube"}},
    "list": [{"a": 1}, {"b": 2.5}],
    "texts": ["x", "y"],
    'na"me]': 7,
}


def plain(value: Any) -> Any:
    """A custom property with its types."""
    if hasattr(value, "items"):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, bpy.types.ID):
        return value.name
    if hasattr(value, "__len__") and not isinstance(value, str | bytes):
        return [plain(part) for part in value]
    return (type(value).__name__, value)


def stored(owner: Any) -> dict[str, Any]:
    return {name: plain(owner[name]) for name in owner.keys() if not name.startswith("geonode_")}  # noqa: SIM118


@pytest.fixture
def tree() -> Any:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    made = bpy.data.node_groups.new("T", "GeometryNodeTree")
    made.interface.new_socket("Size", in_out="INPUT", socket_type="NodeSocketFloat")
    made.nodes.new("ShaderNodeMath").name = "Sum"
    made.nodes.new("NodeGroupInput")
    for owner in (made, made.nodes["Sum"]):
        for name, value in VALUES.items():
            owner[name] = value
    return made


def again(tree: Any, missing: list[Any] | None = None) -> Any:
    return build_tree(json.loads(json.dumps(export_tree(tree))), "Again", missing)


def test_plain_values_come_back_with_their_types(tree: Any) -> None:
    new = again(tree)
    assert len(stored(tree)) == len(VALUES)
    assert stored(new) == stored(tree)
    assert stored(new.nodes["Sum"]) == stored(tree.nodes["Sum"])
    assert export_tree(new)["trees"]["Again"] == export_tree(tree)["trees"]["T"]


def test_data_blocks_are_referred_to_and_left_empty_where_the_file_has_none(tree: Any) -> None:
    tree["user"] = bpy.data.materials.new("Snow")
    assert again(tree)["user"] == bpy.data.materials["Snow"]
    document = export_tree(tree)
    bpy.data.materials.remove(bpy.data.materials["Snow"])
    missing: list[Any] = []
    assert build_tree(document, "Other", missing)["user"] is None and missing == [("material", "Snow")]


@pytest.mark.parametrize("nested", [False, True])
def test_a_node_group_is_left_empty_too_where_the_file_has_none(tree: Any, nested: bool) -> None:
    other = bpy.data.node_groups.new("Other", "GeometryNodeTree")
    tree["user"] = {"inner": other} if nested else other
    tree.nodes["Sum"]["self"] = tree
    document = export_tree(tree)
    bpy.data.node_groups.remove(other)
    missing: list[Any] = []
    made = build_tree(document, "Again", missing)
    assert missing == [("node_group", "Other")]
    assert (made["user"]["inner"] if nested else made["user"]) is None
    assert made.nodes["Sum"]["self"] == made, "the document's own groups are those that are made"
    with pytest.raises(HostError):
        build_tree(document, "Third")


def test_no_more_are_taken_than_documents_have(tree: Any) -> None:
    document: Any = export_tree(tree)
    stored = document["trees"]["T"]["stored"]
    stored |= {f'["p{number}"]': number for number in range(custom_properties.MOST - len(stored))}
    made = build_tree(document, "Again")
    assert len(made.keys()) == custom_properties.MOST
    identity.stamp(made.nodes["Sum"], "sum")
    stored['["one more"]'] = 1
    with pytest.raises(HostError) as refused:
        build_tree(document, "Third")
    assert refused.value.code == "invalid_document"


def test_sockets_have_them_where_blender_has_them_there(tree: Any) -> None:
    try:
        tree.nodes["Sum"].inputs[0]["mine"] = 3
        next(item for item in tree.interface.items_tree)["mine"] = "yes"
    except TypeError:
        assert bpy.app.version >= (4, 5), "this Blender has them"
        again(tree)
        return
    new = again(tree)
    assert new.nodes["Sum"].inputs[0]["mine"] == 3
    assert next(item for item in new.interface.items_tree)["mine"] == "yes"


def test_what_no_document_carries_is_left_out(tree: Any) -> None:
    tree["raw"], tree["odd"], tree["long"] = b"xx", float("nan"), "x" * 70_000
    deep: dict[str, Any] = {"end": 1}
    for _ in range(20):
        deep = {"in": deep}
    tree["deep"] = deep
    identity.stamp(tree.nodes["Sum"], "sum")
    new = again(tree)
    assert set(new.keys()) == set(VALUES)
    assert stored(new.nodes["Sum"]) == stored(tree.nodes["Sum"])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("nonsense", 1),
        ('["x"', 1),
        ('["x"]', [1, "a"]),
        ('["x"]', {"group": 3}),
        ('["x"]', {"group": {"a": 2**70}}),
        ('["x"]', float("inf")),
        ('["x"]', "x" * 70_000),
    ],
)
def test_what_is_none_is_refused(tree: Any, path: str, value: Any) -> None:
    document: Any = export_tree(tree)
    document["trees"]["T"]["stored"] = {path: value}
    before = {group.name for group in bpy.data.node_groups}
    with pytest.raises(HostError) as refused:
        build_tree(document, "Again")
    assert refused.value.code == "invalid_document"
    assert {group.name for group in bpy.data.node_groups} == before


def test_our_own_stay_where_they_are(tree: Any) -> None:
    tree["geonode_made"] = "{}"
    document: Any = export_tree(tree)
    assert not [path for path in document["trees"]["T"]["stored"] if "geonode" in path]
    document["trees"]["T"]["stored"]['["geonode_made"]'] = "forged"
    assert "geonode_made" not in build_tree(document, "Again")
    assert custom_properties.read(tree).keys() == {f'["{bpy.utils.escape_identifier(name)}"]' for name in VALUES}
