# SPDX-License-Identifier: GPL-3.0-or-later
"""The ID state of data-blocks (fake user, custom properties, asset data, preview) survives a restore, and a
restore that loses it reports that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import bpy
import pytest
from geonode_assistant.host import apply, id_state
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.file_summary import inventory
from geonode_assistant.host.transaction import Transaction
from making import on, socket, step, through

CATALOGUE = "11111111-2222-3333-4444-555555555555"
EDIT = {"tree": "Test", "create": False, "values": [["move", "Offset", [9.0, 9.0, 9.0]]]}
# Scratch data, and properties about the origin of the data-block.
NOT_STATE = {"rna_type", "tag", "session_uid", "original", "is_runtime_data", "icon_id", "asset_data", "preview"}


def dump(owner: Any) -> Any:
    """The RNA state of a data-block, its asset data, tags or preview; shares no code with the product."""
    if owner is None:
        return None
    base = bpy.types.ID.bl_rna if isinstance(owner, bpy.types.ID) else owner.bl_rna
    out: dict[str, Any] = {}
    for prop in base.properties:
        if prop.identifier in NOT_STATE or prop.type == "POINTER":
            continue
        value = getattr(owner, prop.identifier)
        if prop.type == "COLLECTION":
            out[prop.identifier] = [dump(part) for part in value]
        else:
            out[prop.identifier] = list(value) if getattr(prop, "is_array", False) else value
    if isinstance(owner, bpy.types.ID | bpy.types.AssetMetaData):
        out["custom"] = {key: (plain(owner[key]), shown(owner, key)) for key in owner.keys()}  # noqa: SIM118
    if isinstance(owner, bpy.types.ID):
        out |= {"asset": dump(owner.asset_data), "preview": dump(owner.preview)}
    return out


def plain(value: Any) -> Any:
    for method in ("to_list", "to_dict"):
        value = getattr(value, method)() if hasattr(value, method) else value
    return repr(value)


def shown(owner: Any, key: str) -> Any:
    try:
        return owner.id_properties_ui(key).as_dict()
    except TypeError:
        return None


def custom_properties(owner: Any) -> None:
    owner["number"] = 7
    owner.id_properties_ui("number").update(min=1, max=9, description="Between one and nine")
    owner["weight"] = 0.25
    owner["not a number"] = float("nan")
    owner["flag"] = True
    owner["words"] = "für später"
    owner["row"] = [1.0, 2.0, 3.0]
    owner["group"] = {"inner": {"deep": 1}, "list": [1, 2]}
    if isinstance(owner, bpy.types.ID):  # asset metadata takes none
        owner["block"] = bpy.data.objects["Sphere"]


def mark(block: Any) -> None:
    """Makes the block an asset with every settable property set."""
    block.asset_mark()
    block.use_fake_user = False
    data = block.asset_data
    for name in ("b", "a", "c"):
        data.tags.new(name)
    for prop in data.bl_rna.properties:
        if prop.is_readonly:
            continue
        match prop.type:
            case "STRING":
                setattr(data, prop.identifier, CATALOGUE if prop.identifier == "catalog_id" else f"My {prop.name}")
            case "BOOLEAN":
                setattr(data, prop.identifier, not prop.default)
            case "INT":
                setattr(data, prop.identifier, 2)
            case "ENUM":
                other = [item.identifier for item in prop.enum_items if item.identifier != prop.default]
                setattr(data, prop.identifier, other[0])
    custom_properties(data)


def picture(block: Any) -> None:
    preview = block.preview_ensure()
    for part, side in (("image", 4), ("icon", 2)):
        setattr(preview, f"{part}_size", (side, side))
        setattr(preview, f"{part}_pixels", [0x40FF8020] * side * side)
        setattr(preview, f"is_{part}_custom", True)


KINDS: dict[str, Callable[[Any], object]] = {
    "nothing": lambda tree: None,
    "fake user": lambda tree: setattr(tree, "use_fake_user", True),
    "extra user": lambda tree: setattr(tree, "use_extra_user", True),
    "custom properties": custom_properties,
    "asset": mark,
    "asset with fake user": lambda tree: (mark(tree), setattr(tree, "use_fake_user", True)),
    "asset without anything": lambda tree: tree.asset_mark(),
    "picture": picture,
    "all": lambda tree: (custom_properties(tree), mark(tree), picture(tree)),
}


@pytest.fixture
def trees(starter: None) -> Iterator[list[Any]]:
    """`Test`, and `Outer`, which uses it: a change of the interface affects both."""
    outer = through(
        "Outer",
        add=[
            {"id": "in", "type": "NodeGroupInput"},
            {"id": "out", "type": "NodeGroupOutput"},
            {"id": "move", "type": "GeometryNodeGroup"},
        ],
        props=[["move", "node_tree", {"node_group": "Test"}]],
        values=[],
        links=[["in", "@in", "move", "=Geometry"], ["move", "=Geometry", "out", "@out"]],
    )
    apply.apply_delta(step(through(), outer, modifiers=[on("Plane", "Test"), on("Sphere", "Outer")]))
    yield [bpy.data.node_groups[name] for name in ("Test", "Outer")]


def dumps() -> dict[str, Any]:
    return {tree.name: dump(tree) for tree in bpy.data.node_groups}


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_run_keeps_the_id_state(trees: list[Any], kind: str) -> None:
    for tree in trees:
        KINDS[kind](tree)
    before = dumps()
    transaction = Transaction(["Plane"], ["Test"])
    wider = {**EDIT, "interface": [socket("@h", "Height", "INPUT", "NodeSocketFloat", default_value=0.5)]}
    transaction.apply(step(wider, through("New")))
    assert transaction.restore() is True
    assert dumps() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_restore_after_a_fault_keeps_the_id_state(trees: list[Any], kind: str) -> None:
    for tree in trees:
        KINDS[kind](tree)
    before = dumps()
    transaction = Transaction(["Plane"], ["Test"])
    with pytest.raises(HostError):
        transaction.apply(step({**EDIT, "values": [["move", "Offset", [1, 2, 3]], ["move", "No such socket", 1]]}))
    assert transaction.restore() is True
    assert dumps() == before


def test_changes_of_an_executor_are_restored(trees: list[Any]) -> None:
    """An executor of another add-on may unmark the tree, or write other metadata."""
    for tree in trees:
        mark(tree)
    before = dumps()

    def work() -> None:
        trees[0].asset_clear()
        data = trees[1].asset_data
        data.author, data.active_tag = "Somebody else", 0
        data.tags.remove(data.tags[0])
        del data["number"]
        data["row"] = "no row any more"
        trees[1].use_fake_user = True

    transaction = Transaction([], ["Test"])
    transaction.execute(work)
    assert transaction.restore() is True
    assert dumps() == before


LOST: dict[str, Callable[[Any], object]] = {
    "fake user": lambda tree: setattr(tree, "use_fake_user", not tree.use_fake_user),
    "asset": lambda tree: tree.asset_clear(),
    "author": lambda tree: setattr(tree.asset_data, "author", ""),
    "description": lambda tree: setattr(tree.asset_data, "description", ""),
    "catalogue": lambda tree: setattr(tree.asset_data, "catalog_id", ""),
    "active tag": lambda tree: setattr(tree.asset_data, "active_tag", 0),
    "tag": lambda tree: tree.asset_data.tags.remove(tree.asset_data.tags["a"]),
    "property of the asset": lambda tree: tree.asset_data.__setitem__("number", 8),
    "its range": lambda tree: tree.asset_data.id_properties_ui("number").update(max=99),
    "property": lambda tree: tree.__delitem__("words"),
    "property in a group": lambda tree: tree["group"]["inner"].__setitem__("deep", 2),
    "picture": lambda tree: setattr(tree.preview, "is_image_custom", False),
    "pixels": lambda tree: setattr(tree.preview, "image_pixels", [1] * 16),
}
if bpy.app.version >= (5, 2):
    LOST["import method"] = lambda tree: setattr(tree.asset_data, "use_preferred_import_method", False)


@pytest.mark.parametrize("lost", LOST)
def test_a_restore_that_lost_the_id_state_is_reported(
    trees: list[Any], lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    KINDS["all"](trees[0])
    usual = id_state.hand_over

    def losing(source: Any, target: Any, kept: Any) -> None:
        usual(source, target, kept)
        if source.name == "Test":
            LOST[lost](target)

    transaction = Transaction([], ["Test"])
    transaction.apply(step(EDIT))
    monkeypatch.setattr(id_state, "hand_over", losing)
    assert transaction.restore() is False


@pytest.mark.parametrize("lost", LOST)
def test_the_inventory_notices_id_state(trees: list[Any], lost: str) -> None:
    for block in (trees[0], bpy.data.materials.new("Clay")):
        KINDS["all"](block)
        before = inventory()
        LOST[lost](block)
        assert inventory() != before


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_script_keeps_the_id_state(trees: list[Any], kind: str) -> None:
    """For scripts, Blender's undo restores the state."""
    names = [tree.name for tree in trees]
    for block in (*trees, bpy.data.materials.new("Clay")):
        KINDS[kind](block)

    def all_dumps() -> dict[str, Any]:
        found = dumps() | {"material": dump(bpy.data.materials["Clay"])}
        for each in found.values():
            each.pop("use_extra_user"), each.pop("users")  # editors give and take it when the file is read
        return found

    def work() -> None:
        for block in (*(bpy.data.node_groups[name] for name in names), bpy.data.materials["Clay"]):
            block.asset_mark()
            block.asset_data.author = "The script"
            block.use_fake_user = not block.use_fake_user
            block["number"] = 123

    before = all_dumps()
    transaction = Transaction([], ["Test"], whole=True)
    transaction.run_script(work)
    assert transaction.restore() is True
    assert all_dumps() == before
