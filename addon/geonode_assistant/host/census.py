# SPDX-License-Identifier: GPL-3.0-or-later
"""Which data-blocks a file has, by kind and name, and which were made, changed and removed between two looks.

What counts as changed is what the inventory describes (``inventory``): of meshes how many elements they have, not where
those are. Names are complete: nothing is made or removed unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ..messages import AssistantError
from . import belongings, told
from .file_summary import inventory
from .told import Names

Census = dict[str, dict[str, Any]]
"""Kind → name → what describes it. A linked data-block's name holds its library."""
ANY_PART = -1
"""Among the ``session_uid`` of what may be removed: any part of a data-block, since a trial has named the parts."""
# Kinds of parts of data-blocks: where their owners are, and the name and type of each.
PARTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "modifiers": ("objects", lambda obj: [(one.name, one.type) for one in obj.modifiers]),
    "constraints": ("objects", lambda obj: [(one.name, one.type) for one in obj.constraints]),
    "vertex_groups": ("objects", lambda obj: [(one.name, "") for one in obj.vertex_groups]),
    "material_slots": ("objects", lambda obj: _numbered(obj.material_slots)),
    "nodes_of_materials": ("materials", lambda block: _nodes(block.node_tree)),
    "nodes_of_worlds": ("worlds", lambda block: _nodes(block.node_tree)),
    "nodes_of_groups": ("node_groups", lambda block: _nodes(block)),
    "inputs_and_outputs": ("node_groups", lambda tree: _interface(tree)),
    "uv_layers": ("meshes", lambda mesh: _names(mesh.uv_layers)),
    "attributes": ("meshes", lambda mesh: _attributes(mesh)),
    "shape_keys": ("shape_keys", lambda keys: _names(keys.key_blocks)),
    "bones": ("armatures", lambda armature: _names(armature.bones)),
    "bone_collections": ("armatures", lambda armature: _names(armature.collections)),
    "splines": ("curves", lambda curve: _numbered(curve.splines)),
    "timeline_markers": ("scenes", lambda scene: _names(scene.timeline_markers)),
    "view_layers": ("scenes", lambda scene: _names(scene.view_layers)),
    "animation_curves": ("actions", lambda action: _animated(action)),
    "rigid_body_worlds": ("scenes", lambda scene: [("", "")] if scene.rigidbody_world is not None else []),
    "metaball_elements": ("metaballs", lambda ball: _numbered(ball.elements)),
    "grease_pencil_layers": ("grease_pencils", lambda pencil: _layers(pencil)),
    "layers_of_grease_pencils": ("grease_pencils_v3", lambda pencil: _layers(pencil)),
    "properties": ("objects", lambda obj: [(key, "") for key in obj.keys()]),  # noqa: SIM118
    "surface": ("meshes", lambda mesh: [("faces", "")] if len(mesh.polygons) else []),
}
MISSED = frozenset({
    "drivers", "nla_tracks", "nla_strips", "links", "keys", "effects", "animation_layers", "animation_slots", "strips",
    "drawings", "mask_layers", "background_images", "tiles", "colors", "points", "shapes", "weights",
})  # fmt: skip
"""Kinds of parts that are named only when some of them are gone: there are many, and adding one says little."""
IN_SCENES = belongings.PLACE
_OF_BLOCKS = PARTS.keys() | MISSED | {IN_SCENES}


def census() -> Census:
    """A look at the open file."""
    found: Census = {}
    lists: Any = bpy.data.bl_rna.properties
    for kind, described in inventory().items():
        if lists[kind].fixed_type.identifier == "ID":
            continue  # a list of the other lists
        blocks = [block for block in getattr(bpy.data, kind) if isinstance(block, bpy.types.ID)]
        found[kind] = {_key(row): (block.session_uid, row) for block, row in zip(blocks, described, strict=True)}
    return found | parts()


def parts() -> Census:
    """A look at the parts of the open file's own data-blocks."""
    found: Census = {}
    for part, (kind, read) in PARTS.items():
        owners = (block for block in getattr(bpy.data, kind, ()) if block.library is None)
        found[part] = {
            f"{block.name} › {name}": (block.session_uid, detail) for block in owners for name, detail in read(block)
        }
    names, trees = everything(), belongings.owners_of_trees()
    for key, (name, count) in belongings.of_file().items():
        if key[0] in MISSED:
            uid = trees[key[1]].session_uid if key[1] in trees else key[1]
            of_kind, label = found.setdefault(key[0], {}), f"{names[uid]} › {name}"
            of_kind[label] = uid, count + (of_kind[label][1] if label in of_kind else 0)
    shown = in_scenes()
    objects = (obj for obj in bpy.data.objects if obj.library is None and obj.session_uid in shown)
    found[IN_SCENES] = {obj.name: (obj.session_uid, None) for obj in objects}
    return found


def _animated(action: Any) -> list[tuple[str, str]]:
    return [(f"{curve.data_path} {curve.array_index}", "") for curve in belongings.curves(action)]


def _names(parts: Any) -> list[tuple[str, str]]:
    return [(one.name, "") for one in parts]


def _layers(pencil: Any) -> list[tuple[str, str]]:
    return [(getattr(one, "name", "") or one.info, "") for one in pencil.layers]


def _attributes(mesh: Any) -> list[tuple[str, str]]:
    return [(one.name, one.domain) for one in mesh.attributes if belongings.is_artists(one.name)]


def _numbered(parts: Any) -> list[tuple[str, str]]:
    return [(str(n + 1), "") for n in range(len(parts))]


def _nodes(tree: Any) -> list[tuple[str, str]]:
    return [] if tree is None else [(node.name, node.bl_idname) for node in tree.nodes]


def _interface(tree: Any) -> list[tuple[str, str]]:
    items = tree.interface.items_tree
    return [(f"{one.name} ({one.identifier})", one.in_out) for one in items if one.item_type == "SOCKET"]


def without_users() -> list[str]:
    """The kinds of which there are data-blocks that a saved file would lack."""
    lists: Any = bpy.data.bl_rna.properties
    kinds = [prop.identifier for prop in lists if prop.type == "COLLECTION" and prop.fixed_type.identifier != "ID"]
    return [kind for kind in kinds if any(not block.users for block in getattr(bpy.data, kind))]


def _key(row: Any) -> str:
    name, library = row[0], row[1]
    return name if library is None else f"{name} ({library})"


def everything() -> dict[int, str]:
    """The ``session_uid`` of every data-block of the open file, with its name."""
    found: dict[int, str] = {}
    for _, blocks in belongings.lists():
        found.update(zip(belongings.numbers(blocks), blocks.keys(), strict=True))
    return found


def used() -> set[int]:
    """The ``session_uid`` of every data-block that is saved because something uses it."""
    found: set[int] = set()
    for _, blocks in belongings.lists():
        users = belongings.numbers(blocks, "users")
        found.update(uid for uid, count in zip(belongings.numbers(blocks), users, strict=True) if count)
    return found


def called(uids: set[int]) -> list[str]:
    """Kind and name of these data-blocks, as far as they are there."""
    blocks = (block for _, found in belongings.lists() for block in found if block.session_uid in uids)
    return [f"{block.id_type.lower().replace('_', ' ')} {block.name!r}" for block in blocks]


def every(kind: str) -> Any:
    """All data-blocks of a kind (`objects`)."""
    return getattr(bpy.data, kind)


def in_scenes() -> frozenset[int]:
    """The ``session_uid`` of every object that is in a scene."""
    return frozenset(uid for scene in bpy.data.scenes for uid in belongings.numbers(scene.objects))


def named(kinds: dict[str, list[str]]) -> set[int]:
    """The ``session_uid`` of the data-blocks with these names, by kind, and ``ANY_PART``."""
    found: set[int] = {ANY_PART}
    for kind, names in kinds.items():
        wanted = set(names)
        blocks = getattr(bpy.data, "objects" if kind == IN_SCENES else kind, ())
        found |= {one.session_uid for one in blocks if one.library is None and one.name in wanted}
    return found


def difference(before: Census, after: Census) -> Names:
    """What happened in between. A block that another one of the same name replaced is changed."""
    names: Names = {"made": {}, "changed": {}, "removed": {}}
    both = _blocks(before) & _blocks(after)
    for kind in sorted({*before, *after}):
        old, new = before.get(kind, {}), after.get(kind, {})
        if kind in _OF_BLOCKS:
            # Those of a data-block that was made or removed as a whole go without saying.
            old, new = ({name: one for name, one in of.items() if one[0] in both} for of in (old, new))
        found = {
            "made": [name for name in new if name not in old],
            "changed": [name for name in new if name in old and old[name] != new[name]],
            "removed": [name for name in old if name not in new],
        }
        if kind in MISSED:
            found = {"removed": [name for name, (_, count) in old.items() if new.get(name, (0, 0))[1] < count]}
        for what, which in found.items():
            if which:
                names[what][kind] = sorted(which)
    return names


def _blocks(found: Census) -> set[int]:
    return {uid for kind, names in found.items() if kind not in _OF_BLOCKS for uid, _ in names.values()}


class Held:
    """The open file, from now on held to names that were seen beforehand."""

    def __init__(self, allowed: Names, apart: frozenset[str] = frozenset()) -> None:
        """Looks at the file as it is. ``apart``: the program's own data-blocks, which a run may change."""
        self._allowed = allowed
        self._apart = apart
        self._before = census()

    def check(self) -> None:
        """`script_breach` when anything else was made, changed or removed."""
        beyond = _beyond(difference(self._before, census()), self._allowed, self._apart)
        if beyond:
            raise AssistantError(
                "script_breach",
                f"The script did other things than in its trial: {'; '.join(told.describe(beyond))}.",
                "Everything was taken back. Try it again, or look for what depends on time, chance or the machine.",
            )


def _beyond(did: Names, allowed: Names, apart: frozenset[str]) -> Names:
    """What was done and is not allowed. What is allowed need not be done."""
    may = {what: {kind: set(which) for kind, which in kinds.items()} for what, kinds in allowed.items()}
    beyond: Names = {}
    for what, kinds in did.items():
        for kind, which in kinds.items():
            further = [name for name in which if name not in (may.get(what, {}).get(kind, set()) | apart)]
            if further:
                beyond.setdefault(what, {})[kind] = further
    return beyond
