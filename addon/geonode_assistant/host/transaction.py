# SPDX-License-Identifier: GPL-3.0-or-later
"""One run, one transaction: everything it may touch is kept at `begin`, and comes back exactly or becomes one
undo step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import bpy

from . import apply, context, evaluate, export, id_state, interface, modifiers, operators, ownership, rna, undo, values
from .checkpoint import Checkpoint, to_object_mode
from .documents import StepDelta, Tree
from .errors import HostError
from .inventory import inventory
from .suppress import update

KEEP_PREFIX = f"{context.HIDDEN_PREFIX}_keep:"
MARK = f"{context.HIDDEN_PREFIX}_written"
"""Name of a node group that stands in the file between two steps of a run that holds the whole file."""


class Transaction:
    """The state before a run, and the way back.

    A tree is kept as a real copy of the data-block, for only that brings back everything: identifiers and their
    counters, selection, folded panels, animation, drivers. The original stays in place while the run edits it (a
    committed run thus leaves every reference intact); a restore hands all users over to the copy, which takes the
    name. Copies have no user and no fake user: even if Blender dies they are not saved. Everything is remembered by
    name, since an undo in between would leave references dangling.
    """

    def __init__(self, objects: Iterable[str], trees: Iterable[str], whole: bool = False) -> None:
        """Opens the transaction; with `whole` all of the file is under its care.

        Raises `unknown_object`, `library_data` for linked data, or `undo_unavailable`; nothing is kept then.
        """
        if bpy.context.view_layer is not None:
            bpy.context.view_layer.update()  # drivers write their values now, not between the two comparisons
        self.before = evaluate.lists()
        undo.wrote()
        self._copies: dict[str, str] = {}
        self._id_states: dict[str, dict[str, Any]] = {}
        self._objects: dict[str, list[dict[str, Any]]] = {}
        self._state: dict[str, Any] = {"trees": {}, "objects": {}}
        self._created: list[str] = []
        self._copied: set[str] = set()  # what is copied of the artist's stays the artist's
        self._fonts: list[str] = []
        self._made: list[int] = []
        self._open = True
        self._owned = ownership.Before()
        self._groups = {g.name for g in bpy.data.node_groups}
        self._all = inventory() if whole else None
        self._checkpoint = Checkpoint() if whole else None
        try:
            self.extend(objects, trees)
            self._mark()
        except BaseException:
            self._forget()
            raise

    def extend(self, objects: Iterable[str], trees: Iterable[str]) -> None:
        """Takes more objects and trees under its care; those known already, or made by this run, stay as they are."""
        wanted: dict[str, Any] = {}
        users: list[Any] = []
        for name in dict.fromkeys(trees):
            tree = bpy.data.node_groups.get((name, None)) or bpy.data.node_groups.get(name)
            if tree is None or name in self._created:
                continue  # the run is going to make it, or did
            wanted[tree.name] = modifiers.editable(tree)
            # A changed interface reaches into every user.
            for node in interface.user_nodes(tree):
                user = node.id_data
                if user.library is None and user.name not in self._created:
                    wanted[user.name] = user
            users += [modifier.id_data for modifier in modifiers.users_of(tree)]
        self._keep_trees([tree for name, tree in wanted.items() if name not in self._copies])
        for obj in users:
            self._keep_object(obj)
        for name in dict.fromkeys(objects):
            self._keep_object(modifiers.editable(modifiers.object_named(name)))

    def covers(self, name: str) -> bool:
        """Whether a tree is under care already, or made by this run."""
        return name in self._copies or name in self._created

    def kept(self, name: str) -> Tree | None:
        """The description of a tree as it was taken under care; None for one that was not there."""
        state = self._state["trees"].get(name)
        return state["ir"] if state is not None else None

    def discard(self) -> None:
        """Closes the transaction before anything was written."""
        self._open = False
        self._forget()

    def apply(self, delta: StepDelta) -> dict[str, int]:
        """`apply_delta`, remembering which data-blocks it makes."""
        self._still_ours()
        self._copied |= {tree["tree"] for tree in delta.get("trees", ()) if tree.get("copy_of")}
        groups = {g.name for g in bpy.data.node_groups}
        fonts = {f.name for f in bpy.data.fonts}
        try:
            return apply.apply_delta(delta)
        finally:
            self._created += [g.name for g in bpy.data.node_groups if g.name not in groups]
            self._fonts += [f.name for f in bpy.data.fonts if f.name not in fonts]

    def execute(self, work: Callable[[], Any]) -> Any:
        """Somebody else's work, remembering which data-blocks it makes."""
        groups = {g.name for g in bpy.data.node_groups}
        present = {block.session_uid for block in _all_blocks()}
        try:
            return work()
        finally:
            self._made += [block.session_uid for block in _all_blocks() if block.session_uid not in present]
            self._created += [g.name for g in bpy.data.node_groups if g.name not in groups]

    def run_script(self, work: Callable[[], Any]) -> Any:
        """Work that may touch anything, and finds nothing of ours; the whole file must be under care."""
        if self._checkpoint is None:
            raise HostError("internal_error", "A script may not run: what it does could not be taken back.")
        self._still_ours()
        self._unmark()
        mode = bpy.context.mode
        try:
            return work()
        finally:
            if bpy.context.mode != mode:
                to_object_mode()
            self._mark()

    def restore(self) -> bool:
        """Brings everything back. Whether the state, exported anew, equals the one before.

        One that raised may be tried again.
        """
        if not self._open:
            raise HostError("internal_error", "This transaction is closed.")
        if self._checkpoint is not None:
            # Without the mark an undo in between led back already, or further.
            if self._marked() or self._checkpoint.half_way:
                self._unmark()  # the step that is undone now shall not hold it
                self._checkpoint.restore(self._marked)
            equal = self._is_as_before() and inventory() == self._all
            self._open = False
            return equal
        for name, kept in self._objects.items():
            self._remove_new_modifiers(name, kept)
        for name in list(self._copies):
            self._bring_back(name)
        for name in self._created:
            tree = bpy.data.node_groups.get((name, None))
            if tree is not None:
                bpy.data.node_groups.remove(tree)
        if self._made:
            made = set(self._made)
            bpy.data.batch_remove([block for block in _all_blocks() if block.session_uid in made])
        for name, kept in self._objects.items():
            self._restore_modifiers(name, kept)
        for name in self._fonts:
            font = bpy.data.fonts.get(name)
            if font is not None and font.users == 0:
                bpy.data.fonts.remove(font)
        if bpy.context.view_layer is not None:
            bpy.context.view_layer.update()
        equal = self._is_as_before()
        self._open = False
        return equal

    def give_up(self) -> None:
        """After a restore that failed: takes away what the run needed for itself, and makes one undo step of the rest,
        so that one undo leads to before the run.
        """
        self._open = False
        for name, kept in self._copies.items():
            copy = bpy.data.node_groups.get(kept)
            if copy is not None and bpy.data.node_groups.get((name, None)) is None:
                copy.name = name  # nothing else is left of that tree
        self._drop_copies()
        self._unmark()
        stepped = self._checkpoint is not None and self._checkpoint.half_way
        if not stepped and operators.can(bpy.ops.ed.undo_push):
            bpy.ops.ed.undo_push(message="GeoNode: not taken back")

    def commit(self, message: str) -> None:
        """Keeps what was done, as one undo step of that name where this Blender has an undo stack."""
        if not self._open:
            raise HostError("internal_error", "This transaction is closed.")
        self._still_ours()
        self._open = False
        self._drop_copies()
        self._unmark()
        self._leave(message)
        if self._checkpoint is not None:
            self._checkpoint.commit(message)
            return
        if operators.can(bpy.ops.ed.undo_push):
            bpy.ops.ed.undo_push(message=message)
            undo.pushed()

    def _leave(self, words: str) -> None:
        """What the run made is known as the assistant's from now on."""
        made = set(self._created)
        if self._checkpoint is not None:  # scripts make trees too
            made |= {g.name for g in bpy.data.node_groups} - self._groups
        self._owned.leave(sorted(made - self._copied), words)

    # -- keeping
    # ----------------------------------------------------------------------------------------------------------------

    def _keep_trees(self, trees: list[Any]) -> None:
        # Copies that are there already count as users of what they use, but will not when the states are compared.
        ours = Counter(values.block_name(group) for _, group in self._uses())
        for tree in trees:
            state = _tree_state(tree)
            state["users"] -= ours[tree.name]
            self._state["trees"][tree.name] = state
            self._id_states[tree.name] = id_state.keep(tree)
            self._owned.note(tree, state["ir"])
        if self._checkpoint is not None:
            # All of the file comes back; a script shall not meet copies.
            self._copies.update({tree.name: "" for tree in trees})
            return
        for tree in trees:
            copy = tree.copy()
            copy.name = f"{KEEP_PREFIX}{len(self._copies)}"
            copy.use_fake_user = False
            self._copies[tree.name] = copy.name
        # A copy that used an edited tree would change with it: copies use copies.
        for node, group in list(self._uses()):
            if group.library is None and group.name in self._copies:
                node.node_tree = bpy.data.node_groups[self._copies[group.name]]

    def _uses(self) -> Iterator[tuple[Any, Any]]:
        """The group nodes of all copies, and what they use."""
        for kept in self._copies.values():
            copy = bpy.data.node_groups.get(kept)
            if copy is None:
                continue
            for node in copy.nodes:
                group = getattr(node, "node_tree", None)
                if group is not None:
                    yield node, group

    def _keep_object(self, obj: Any) -> None:
        if obj.name in self._objects:
            return
        self._state["objects"][obj.name] = object_state(obj)
        self._objects[obj.name] = [_modifier_snapshot(m) for m in obj.modifiers]

    def _forget(self) -> None:
        self._drop_copies()
        if self._checkpoint is not None:
            self._unmark()
            self._checkpoint.drop()

    def _mark(self) -> None:
        """Every undo step that is made from now on is known as one of this run."""
        if self._checkpoint is not None and not self._marked():
            bpy.data.node_groups.new(MARK, "GeometryNodeTree").use_fake_user = False  # so it is never saved

    def _unmark(self) -> None:
        mark = bpy.data.node_groups.get((MARK, None))
        if mark is not None:
            bpy.data.node_groups.remove(mark)

    def _still_ours(self) -> None:
        """Raises `touched_by_artist` when the file is no longer what this run made of it."""
        if self._checkpoint is not None and not self._marked():
            raise HostError("touched_by_artist", "What the script did was undone before the run had ended.")

    @staticmethod
    def _marked() -> bool:
        return bpy.data.node_groups.get((MARK, None)) is not None

    def _drop_copies(self) -> None:
        for kept in self._copies.values():
            copy = bpy.data.node_groups.get(kept)
            if copy is not None:
                bpy.data.node_groups.remove(copy)
        self._copies.clear()

    # -- bringing back
    # ----------------------------------------------------------------------------------------------------------

    def _bring_back(self, name: str) -> None:
        copy = bpy.data.node_groups.get(self._copies[name])
        if copy is None:
            return  # an undo in between took it away, and with it what the run had done
        edited = bpy.data.node_groups.get((name, None))
        if edited is not None:
            edited.user_remap(copy)
            id_state.hand_over(edited, copy, self._id_states[name])
            bpy.data.node_groups.remove(edited)
        copy.name = name
        update(copy)

    def _remove_new_modifiers(self, name: str, kept: list[dict[str, Any]]) -> None:
        obj = bpy.data.objects.get((name, None))
        if obj is None:
            return
        known = {entry["name"] for entry in kept}
        for modifier in [m for m in obj.modifiers if m.name not in known and m.type == "NODES" and self._is_ours(m)]:
            obj.modifiers.remove(modifier)

    def _is_ours(self, modifier: Any) -> bool:
        """Whether this run made the modifier: an artist's own, added meanwhile, runs no tree that the run made or
        edits.
        """
        group = modifier.node_group
        return group is None or group.name in self._created or group.name in self._copies

    def _restore_modifiers(self, name: str, kept: list[dict[str, Any]]) -> None:
        obj = bpy.data.objects.get((name, None))
        if obj is None:
            return
        for entry in kept:
            modifier = obj.modifiers.get(entry["name"])
            if modifier is None or modifier.type != "NODES":
                continue
            group = bpy.data.node_groups.get((entry["node_group"], None)) or bpy.data.node_groups.get(
                entry["node_group"] or ""
            )
            modifier.node_group = group  # also when it is the same: the inputs follow the interface then
            _restore_inputs(modifier, entry["inputs"])
        obj.update_tag()

    def _is_as_before(self) -> bool:
        trees = {
            name: _tree_state(tree)
            for name in self._state["trees"]
            if (tree := bpy.data.node_groups.get((name, None))) is not None
        }
        objects = {
            name: object_state(obj)
            for name in self._state["objects"]
            if (obj := bpy.data.objects.get((name, None))) is not None
        }
        left = [g.name for g in bpy.data.node_groups if g.name in self._created or g.name.startswith(KEEP_PREFIX)]
        return not left and {"trees": trees, "objects": objects} == self._state


def _all_blocks() -> list[Any]:
    """Every data-block of the file; fonts and such that Blender loads by itself included."""
    collections = (p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION")
    return [block for name in collections for block in getattr(bpy.data, name) if isinstance(block, bpy.types.ID)]


# -- snapshots
# ------------------------------------------------------------------------------------------------------------------


def _tree_state(tree: Any) -> dict[str, Any]:
    """What must be equal after a restore: the IR, selection, active node, animation, users, what belongs to the
    data-block as such.
    """
    active = tree.nodes.active
    return {
        "ir": export.export_one(tree)[0],
        "selected": [n.name for n in tree.nodes if n.select],
        "active": active.name if active is not None else None,
        "animation": _animation(tree),
        "users": tree.users,
        "id": id_state.read(tree),
    }


def _animation(block: Any) -> Any:
    data = block.animation_data
    if data is None:
        return None
    drivers = [(d.data_path, d.array_index, d.driver.type, d.driver.expression, d.mute) for d in data.drivers]
    return {
        "action": data.action.name if data.action is not None else None,
        "drivers": drivers,
        "nla": len(data.nla_tracks),
    }


def object_state(obj: Any) -> dict[str, Any]:
    """What a run may change of an object: its modifiers with their inputs, and its animation."""
    return {"modifiers": [_modifier_state(m) for m in obj.modifiers], "animation": _animation(obj)}


def _modifier_state(modifier: Any) -> dict[str, Any]:
    fields = rna.fields_of(modifier, frozenset({"execution_time", "persistent_uid", "bakes", "panels", "properties"}))
    out: dict[str, Any] = {"name": modifier.name, "type": modifier.type}
    out["settings"] = {path: value for path, value in zip(fields.plain, fields.read_plain(modifier), strict=True)}
    if modifier.type == "NODES":
        out["node_group"] = values.block_name(modifier.node_group) if modifier.node_group is not None else None
        out["inputs"] = modifiers.read_inputs(modifier)
    return out


def _modifier_snapshot(modifier: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"name": modifier.name, "node_group": None, "inputs": {}}
    if modifier.type == "NODES" and modifier.node_group is not None:
        out["node_group"] = modifier.node_group.name
        out["inputs"] = _raw_inputs(modifier)
    return out


def _raw_inputs(modifier: Any) -> dict[str, Any]:
    """Inputs as Blender stores them: custom properties up to 5.0, else (type, attribute, JSON value)."""
    if "properties" not in modifier.bl_rna.properties:
        return {key: _plain(value) for key, value in modifier.items()}
    out = {}
    for item in modifiers.inputs_of(modifier.node_group):
        entry = getattr(modifier.properties.inputs, item.identifier, None)
        if entry is not None:
            value = values.to_json(entry.value) if hasattr(entry, "value") else None
            out[item.identifier] = (getattr(entry, "type", None), getattr(entry, "attribute_name", None), value)
    return out


def _plain(value: Any) -> Any:
    """A custom property's value, detached from Blender's memory; a data-block by name."""
    if isinstance(value, bpy.types.ID):
        return values.to_json(value)
    return value.to_list() if hasattr(value, "to_list") else value.to_dict() if hasattr(value, "to_dict") else value


def _restore_inputs(modifier: Any, saved: dict[str, Any]) -> None:
    if "properties" not in modifier.bl_rna.properties:
        for key in [k for k in modifier.keys() if k not in saved]:
            del modifier[key]
        for key, value in saved.items():
            if key not in modifier or _plain(modifier[key]) != value:
                modifier[key] = values.from_json(value)
        return
    for identifier, (kind, attribute, value) in saved.items():
        entry = getattr(modifier.properties.inputs, identifier, None)
        if entry is None:
            continue
        if kind is not None and entry.type != kind:
            entry.type = kind
        if attribute is not None and entry.attribute_name != attribute:
            entry.attribute_name = attribute
        if hasattr(entry, "value") and values.to_json(entry.value) != value:
            values.assign(entry, "value", value)
