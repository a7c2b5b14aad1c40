# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees as files: written atomically, read strictly, compared in sentences; through the API and the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from commands import geonode
from geonode_assistant import api, native
from geonode_assistant.host import exchange
from geonode_assistant.messages import AssistantError


@pytest.fixture
def tree() -> Any:
    """Group Input → Transform (of a nested group) → Group Output, in an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    inner = bpy.data.node_groups.new("Inner", "GeometryNodeTree")
    inner.interface.new_socket("Amount", in_out="INPUT", socket_type="NodeSocketFloat").default_value = 0.5
    outer = bpy.data.node_groups.new("Outer ä", "GeometryNodeTree")
    outer.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    outer.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    start, end = outer.nodes.new("NodeGroupInput"), outer.nodes.new("NodeGroupOutput")
    move, group = outer.nodes.new("GeometryNodeTransform"), outer.nodes.new("GeometryNodeGroup")
    group.node_tree = inner
    outer.links.new(move.inputs["Geometry"], start.outputs[0])
    outer.links.new(end.inputs[0], move.outputs[0])
    for place, node in enumerate((start, move, end, group)):
        node.location = (200 * place, 0)
    return outer


def catch_refusal(call: Callable[[], Any]) -> AssistantError:
    with pytest.raises(AssistantError) as caught:
        call()
    assert caught.value.hint
    return caught.value


def test_an_exported_tree_loads_equal_and_equal_trees_give_equal_bytes(tree: Any, tmp_path: Path) -> None:
    first = api.save_tree(tree, tmp_path / "tree.json")
    document = api.export_tree(tree)
    assert json.loads(first.read_text("utf-8")) == json.loads(json.dumps(document))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    new = api.load_tree(first)
    second = api.save_tree(new, tmp_path / "again.json")
    assert second.read_bytes() == first.read_bytes()
    assert api.diff_trees(first, new) == []
    assert api.load_tree(first, "Other").name == "Other"


def test_a_small_edit_is_a_small_difference_in_text(tree: Any, tmp_path: Path) -> None:
    before = api.save_tree(tree, tmp_path / "a.json").read_text("utf-8").splitlines()
    tree.nodes["Transform Geometry" if "Transform Geometry" in tree.nodes else "Transform"].location.y = 55
    node = tree.nodes.new("GeometryNodeMeshCube")
    node.inputs["Size"].default_value = (1, 2, 3)
    after = api.save_tree(tree, tmp_path / "b.json").read_text("utf-8").splitlines()
    changed = set(before) ^ set(after)
    # The moved node twice, the new one, and the comma after the line that was the last one.
    assert len(changed) == 5 and len(after) == len(before) + 1
    lines = api.diff_trees(tmp_path / "a.json", tmp_path / "b.json")
    assert lines == ["Added Cube “Cube”", "Layout only: 1 node moved"]


def test_differences_have_names_and_units(tree: Any) -> None:
    before = api.export_tree(tree)
    node = next(n for n in tree.nodes if n.bl_idname == "GeometryNodeTransform")
    node.inputs["Translation"].default_value = (0, 0, 2)
    tree.links.remove(node.inputs["Geometry"].links[0])
    bpy.data.node_groups["Inner"].interface.items_tree[0].name = "Strength"
    assert api.diff_trees(before, tree) == [
        f"“{node.name}”: Translation from (0, 0, 0) m to (0, 0, 2) m",
        f"Unlinked “Group Input” Geometry from “{node.name}” Geometry",
        "In the group “Inner”: Renamed the input “Amount” to “Strength”",
    ]


def test_a_write_that_fails_leaves_the_old_file(tree: Any, tmp_path: Path) -> None:
    assert catch_refusal(lambda: api.save_tree(tree, tmp_path)).code == "invalid_path"
    assert catch_refusal(lambda: api.save_tree(tree, tmp_path / "no" / "a.json")).code == "file_not_found"
    path = api.save_tree(tree, tmp_path / "a.json")
    content = path.read_bytes()
    link = tmp_path / "link.json"
    link.symlink_to(path)
    tree.nodes.new("GeometryNodeMeshCube")
    api.save_tree(tree, link)
    assert link.is_symlink() and path.read_bytes() != content
    material = bpy.data.materials.new("M")
    assert catch_refusal(lambda: api.save_tree(material, path)).code == "invalid_argument"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "link.json"]


BAD: list[tuple[str, Callable[[dict[str, Any]], Any] | bytes, str]] = [
    ("empty", b"", "invalid_json"),
    ("not text", b"\xff\xfe\x00", "invalid_json"),
    ("a conflict of version control", b"<<<<<<< ours\n{}", "invalid_json"),
    ("nested deep", b"[" * 10_000, "too_deep"),
    ("a key twice", b'{"ir": 1, "ir": 1}', "duplicate_key"),
    ("no document", b"{}", "unsupported_version"),
    ("newer format", lambda b: b.update(ir=2), "unsupported_version"),
    ("newer Blender", lambda b: b.update(blender=[99, 0, 0]), "newer_blend"),
    ("unknown field", lambda b: b.update(more=1), "invalid_document"),
    ("unknown field of a node", lambda b: b["trees"]["Inner"]["nodes"].append({"colour": 1}), "invalid_document"),
    ("unknown root", lambda b: b.update(root="Nobody"), "invalid_document"),
    ("link into nothing", lambda b: b["trees"][b["root"]]["links"][0].update(to=["Nobody", "A"]), "unknown_node"),
    ("node twice", lambda b: b["trees"][b["root"]]["nodes"].append(b["trees"][b["root"]]["nodes"][0]), "duplicate_id"),
    ("unknown type", lambda b: b["trees"][b["root"]]["nodes"][0].update(type="NoSuchNode"), "unknown_node_type"),
    ("unknown property", lambda b: b["trees"][b["root"]]["nodes"][0]["props"].update(nonsense=1), "unknown_property"),
    ("long node name", lambda b: b["trees"][b["root"]]["nodes"][0].update(name="ä" * 40), "bad_name"),
    ("empty tree name", lambda b: b["trees"].update({"": b["trees"].pop("Inner")}), "unknown_data_block"),
]


@pytest.mark.parametrize(("bad", "code"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_file_is_refused_and_adds_nothing(tree: Any, tmp_path: Path, bad: Any, code: str) -> None:
    path = tmp_path / "bad.json"
    if callable(bad):
        document = json.loads(exchange.text(api.export_tree(tree)))
        bad(document)
        path.write_text(json.dumps(document), "utf-8")
    else:
        path.write_bytes(bad)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with pytest.raises(Exception) as caught:
        api.load_tree(path)
    assert getattr(caught.value, "code", None) == code, caught.value
    assert list(bpy.data.node_groups) == []


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert catch_refusal(lambda: api.load_tree(tmp_path / "none.json")).code == "file_not_found"
    assert catch_refusal(lambda: api.load_tree(tmp_path)).code == "invalid_path"
    if Path("/dev/zero").exists():
        assert catch_refusal(lambda: api.load_tree("/dev/zero")).code == "invalid_path"
    large = tmp_path / "large.json"
    with large.open("wb") as stream:
        os.truncate(stream.fileno(), native.limits().tree_bytes + 1)
    assert catch_refusal(lambda: api.load_tree(large)).code == "file_too_large"


def test_a_tree_comes_into_an_empty_file_without_what_it_refers_to(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    made = bpy.data.node_groups.new("Rocks", "GeometryNodeTree")
    made.interface.new_socket("Stone", in_out="INPUT", socket_type="NodeSocketMaterial")
    made.interface.items_tree[0].default_value = bpy.data.materials.new("Granite")
    info, paint = made.nodes.new("GeometryNodeObjectInfo"), made.nodes.new("GeometryNodeSetMaterial")
    info.inputs["Object"].default_value = bpy.data.objects.new("Rock", None)
    paint.inputs["Material"].default_value = bpy.data.materials["Granite"]
    file = api.save_tree(made, tmp_path / "rocks.json")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with pytest.warns(UserWarning, match="material “Granite”, object “Rock”") as told:
        again = api.load_tree(file)
    assert len(told) == 1
    assert again.interface.items_tree[0].default_value is None
    assert again.nodes["Object Info"].inputs["Object"].default_value is None
    assert again.nodes["Set Material"].inputs["Material"].default_value is None
    done = geonode("import", file, "--out", tmp_path / "with.blend", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "left empty: material “Granite”, object “Rock”." in done.out


@pytest.mark.parametrize("kind", ["ShaderNodeTree", "CompositorNodeTree", "TextureNodeTree", None])
def test_other_trees_are_refused_in_words(kind: str | None, tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    other = None if kind is None else bpy.data.node_groups.new("Other", kind)
    good = api.export_tree(bpy.data.node_groups.new("Good", "GeometryNodeTree"))
    for call in (
        lambda: api.export_tree(other),
        lambda: api.save_tree(other, tmp_path / "other.json"),
        lambda: api.diff_trees(other, good),
        lambda: api.make_mine(other),
        lambda: api.let_manage(other),
    ):
        assert catch_refusal(call).code == "invalid_argument"
    assert list(tmp_path.iterdir()) == []


def test_commands(tree: Any, tmp_path: Path) -> None:
    tree.use_fake_user = True
    blend = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), copy=True)
    outcome = geonode("export", "Outer ä", "a.json", "--blend", blend, cwd=tmp_path)
    assert outcome.status == 0 and "2 trees, 4 nodes, 2 links" in outcome.out, outcome
    outcome = geonode("export", "Outer ä", "a.txt", "--text", "--blend", blend, cwd=tmp_path)
    assert outcome.status == 0 and "2 trees, 4 nodes, 2 links" in outcome.out, outcome
    page = (tmp_path / "a.txt").read_text("utf-8")
    assert page.startswith("def outer_ä(geometry: Geometry) -> Geometry:\n"), page
    assert "transform_geometry(geometry)\n" in page and "def inner(amount: Float = 0.5):\n" in page
    outcome = geonode("export", "Outer ä", "b.txt", "--text", "--full", "--blend", blend, cwd=tmp_path)
    full = (tmp_path / "b.txt").read_text("utf-8")
    assert outcome.status == 0 and "location=(200.0, 0.0)" in full and len(full) > len(page), outcome
    outcome = geonode("import", "a.json", "--out", "new.blend", cwd=tmp_path)
    assert outcome.status == 0 and (tmp_path / "new.blend").is_file(), outcome
    outcome = geonode("diff", "a.json", "Outer ä", "--blend", "new.blend", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (0, "No differences.\n")
    text = (tmp_path / "a.json").read_text("utf-8")
    (tmp_path / "b.json").write_text(text.replace('"name": "Amount"', '"name": "Strength"'), "utf-8")
    outcome = geonode("diff", "a.json", "b.json", cwd=tmp_path)
    assert "In the group “Inner”: Renamed the input “Amount” to “Strength”" in outcome.out
    before = sorted(path.name for path in tmp_path.iterdir())
    for arguments, status, code in [
        (("export", "Nobody", "c.json", "--blend", blend), 1, "unknown_node_group"),
        (("export", "Outer ä", "c.json", "--full", "--blend", blend), 1, "invalid_argument"),
        (("import", "a.json", "--out", "c.json"), 1, "invalid_path"),
        (("import", "a.json", "--blend", blend, "--out", blend), 1, "invalid_path"),
        (("import", "a.json"), 2, "invalid_argument"),
        (("diff", "a.json", "none.json"), 1, "file_not_found"),
    ]:
        outcome = geonode(*arguments, cwd=tmp_path)
        assert (outcome.status, outcome.code) == (status, code), outcome
    assert sorted(path.name for path in tmp_path.iterdir()) == before
