# SPDX-License-Identifier: GPL-3.0-or-later
"""The transaction of a run: everything that it may change is saved when it begins, and is then either restored exactly
or kept as one undo step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy

from . import apply, context, evaluate, export, id_state, interface, modifiers, operators, ownership, rna, undo, values
from .checkpoint import Checkpoint, to_object_mode
from .deferred_updates import update
from .documents import StepDelta, Tree
from .errors import HostError
from .file_summary import inventory

_GONE = object()
KEEP_PREFIX = f"{context.HIDDEN_PREFIX}_keep:"
MARK = f"{context.HIDDEN_PREFIX}_written"
"""Name of a node group that marks the file between two steps of a run whose transaction covers the whole file."""


class Transaction:
    """The state before a run, and how to restore it.

    A tree is saved as a real copy of the data-block, because only a copy preserves everything: identifiers and their
    counters, selection, folded panels, animation, drivers. The run edits the original, so that a committed run leaves
    every reference intact; a restore moves all users to the copy, which gets the original's name. Copies have no user
    and no fake user, so they are not saved even if Blender crashes. Everything is recorded by name, since an undo in
    between would invalidate references.
    """

    def __init__(self, objects: Iterable[str], trees: Iterable[str], whole: bool = False) -> None:
        """Opens the transaction; with `whole` it covers the whole file.

        Raises `unknown_object`, `library_data` for linked data, or `undo_unavailable`, and then leaves nothing behind.
        """
        if bpy.context.view_layer is not None:
            bpy.context.view_layer.update()  # drivers write now, not between the two comparisons
        self.before = evaluate.lists()
        undo.note_write()
        self._copies: dict[str, str] = {}
        self._objects: dict[str, list[dict[str, Any]]] = {}
        self._state: dict[str, Any] = {"trees": {}, "objects": {}}
        self._created: list[str] = []
        self._uids: dict[str, int] = {}  # trees by their name at that time: covered ones and those that the run made
        self._object_uids: dict[str, int] = {}
        self._new_modifiers: set[tuple[str, int]] = set()
        self._written = _Written()
        self._by_artist = _Edited()
        self._executed: dict[str, dict[str, Any]] = {}  # what work of an executor left of what copies lack
        self.set_aside: list[str] = []
        """Trees that the artist edited while the run changed them, under the names by which they are kept."""
        self._copied: dict[str, str] = {}  # what is a copy is as much the artist's as the tree that it was copied from
        self._fonts: list[str] = []
        self._made: list[int] = []
        self._open = True
        self._owned = ownership.StateBefore()
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
        """Covers more objects and trees; ignores those that are covered already or were made by this run."""
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
        """Whether a tree is covered, or was made by this run."""
        return name in self._copies or name in self._created

    def kept(self, name: str) -> Tree | None:
        """The IR of a tree from when it was covered; None if it did not exist then."""
        state = self._state["trees"].get(name)
        return state["ir"] if state is not None else None

    def discard(self) -> None:
        """Closes the transaction; only before anything was written."""
        self._open = False
        self._forget()

    def apply(self, delta: StepDelta) -> dict[str, int]:
        """Calls `apply_delta` and records which data-blocks it creates."""
        self._check_untouched()
        self._note_edits()
        self._check_unedited(delta)
        self._copied |= {tree["tree"]: source for tree in delta.get("trees", ()) if (source := tree.get("copy_of"))}
        groups = {g.name for g in bpy.data.node_groups}
        fonts = {f.name for f in bpy.data.fonts}
        known = self._modifiers()
        try:
            return apply.apply_delta(delta)
        finally:
            self._note_created(groups)
            self._new_modifiers |= self._modifiers() - known
            self._fonts += [f.name for f in bpy.data.fonts if f.name not in fonts]
            self._note_written()

    def execute(self, work: Callable[[], Any]) -> Any:
        """Calls `work` of an executor and records which data-blocks it creates."""
        self._note_edits()
        groups = {g.name for g in bpy.data.node_groups}
        present = {block.session_uid for block in _all_blocks()}
        known = self._modifiers()
        lacking = {name: id_state.keep(tree) for name in self._copies if (tree := self._covered(name)) is not None}
        try:
            return work()
        finally:
            self._made += [block.session_uid for block in _all_blocks() if block.session_uid not in present]
            self._note_created(groups)
            self._new_modifiers |= self._modifiers() - known
            for name, before in lacking.items():
                tree = self._covered(name)
                if tree is not None and repr(id_state.keep(tree)) != repr(before):
                    self._executed.setdefault(name, before)
            self._note_written()

    def run_script(self, work: Callable[[], Any]) -> Any:
        """Calls `work` of a script, which may change anything, without our own temporary data in the file. The
        transaction must cover the whole file.
        """
        if self._checkpoint is None:
            raise HostError(
                "internal_error", "A script cannot run in this transaction, because its changes could not be restored."
            )
        self._check_untouched()
        self._unmark()
        mode = bpy.context.mode
        try:
            return work()
        finally:
            if bpy.context.mode != mode:
                to_object_mode()
            self._mark()

    def restore(self) -> bool:
        """Restores everything; returns whether the state, exported again, equals the one before.

        May be called again if it raised.
        """
        if not self._open:
            raise HostError("internal_error", "This transaction is closed.")
        if self._checkpoint is not None:
            # If the mark is missing, an undo in between has already led back to this state or further.
            if self._marked() or self._checkpoint.half_way:
                self._unmark()  # the step that is undone now must not contain it
                self._checkpoint.restore(self._marked)
            equal = self._is_as_before() and inventory() == self._all
            self._open = False
            return equal
        self._note_edits()
        by_artist = self._by_artist
        self._remove_new_modifiers()
        for name in list(self._copies):
            self._restore_tree(name, name in by_artist.trees)
        for name in self._created:
            tree = self._covered(name)
            if tree is not None and name in by_artist.trees:
                self._keep_aside(tree, name)
            elif tree is not None:
                bpy.data.node_groups.remove(tree)
        if self._made:
            made = set(self._made)
            aside = set(self.set_aside)
            gone = [b for b in _all_blocks() if b.session_uid in made and b.name not in aside]
            bpy.data.batch_remove(gone)
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
        """After a restore that failed: removes the run's temporary data and makes one undo step of the rest, so
        that one undo returns to the state before the run.
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
            bpy.ops.ed.undo_push(message="GeoNode: not restored")

    def commit(self, message: str, words: str | None = None, run: str = "") -> None:
        """Keeps the changes, as one undo step of that name if this Blender has an undo stack.

        What was made is marked as made for these words, else for the message, by the run with this identifier.
        """
        if not self._open:
            raise HostError("internal_error", "This transaction is closed.")
        self._check_untouched()
        self._open = False
        self._drop_copies()
        self._unmark()
        self._mark_results(message if words is None else words, run)
        if self._checkpoint is not None:
            self._checkpoint.commit(message)
            return
        if operators.can(bpy.ops.ed.undo_push):
            bpy.ops.ed.undo_push(message=message)
            undo.note_step()

    def _mark_results(self, prompt: str, run: str) -> None:
        """Marks what the run created as the assistant's."""
        made = set(self._created)
        if self._checkpoint is not None:  # scripts create trees too
            made |= {g.name for g in bpy.data.node_groups} - self._groups
        now = {name: tree.name for name in made if (tree := self._covered(name)) is not None}
        names = {now.get(name, name) for name in made - self._copied.keys()}
        copies = {now.get(name, name): source for name, source in self._copied.items()}
        written = {n: s["ir"] for n, s in self._written.trees.items()}
        self._owned.mark_results(sorted(names), prompt, run, written, copies)

    # -- keeping
    # ----------------------------------------------------------------------------------------------------------------

    def _keep_trees(self, trees: list[Any]) -> None:
        # Existing copies count as users of the groups they use now, but no longer when the states are compared.
        ours = Counter(values.block_name(group) for _, group in self._group_nodes_of_copies())
        for tree in trees:
            state = _tree_state(tree)
            state["users"] -= ours[tree.name]
            self._state["trees"][tree.name] = state
            self._uids[tree.name] = tree.session_uid
            self._owned.note(tree, state["ir"])
        if self._checkpoint is not None:
            # All of the file comes back; a script must not see the copies.
            self._copies.update({tree.name: "" for tree in trees})
            return
        for tree in trees:
            copy = tree.copy()
            copy.name = f"{KEEP_PREFIX}{len(self._copies)}"
            copy.use_fake_user = False
            self._copies[tree.name] = copy.name
        # A copy that used an edited tree would change with it, so copies use copies.
        for node, group in list(self._group_nodes_of_copies()):
            if group.library is None and group.name in self._copies:
                node.node_tree = bpy.data.node_groups[self._copies[group.name]]

    def _group_nodes_of_copies(self) -> Iterator[tuple[Any, Any]]:
        """The group nodes of all copies, each with the group that it uses."""
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
        self._object_uids[obj.name] = obj.session_uid
        self._objects[obj.name] = [_modifier_snapshot(m) for m in obj.modifiers]

    def _forget(self) -> None:
        self._drop_copies()
        if self._checkpoint is not None:
            self._unmark()
            self._checkpoint.drop()

    def _mark(self) -> None:
        """Adds the mark, so that every undo step made from now on is recognised as one of this run."""
        if self._checkpoint is not None and not self._marked():
            bpy.data.node_groups.new(MARK, "GeometryNodeTree").use_fake_user = False  # so it is never saved

    def _unmark(self) -> None:
        mark = bpy.data.node_groups.get((MARK, None))
        if mark is not None:
            bpy.data.node_groups.remove(mark)

    def _check_untouched(self) -> None:
        """Raises `touched_by_artist` if the file is no longer in the state in which this run left it."""
        if self._checkpoint is not None and not self._marked():
            raise HostError("touched_by_artist", "The changes of the script were undone before the run had ended.")

    def _check_unedited(self, delta: StepDelta) -> None:
        """Raises `touched_by_artist` if what a further write is about is no longer as the run left it."""
        for name in [tree["tree"] for tree in delta.get("trees", ())]:
            if name in self._by_artist.trees or name in self._uids and self._covered(name) is None:
                raise HostError("touched_by_artist", f"“{name}” was changed by hand while the run worked on it.")
        for entry in delta.get("modifier_inputs", ()):
            obj = bpy.data.objects.get((entry["object"], None))
            modifier = obj.modifiers.get(entry["modifier"]) if obj is not None else None
            uid = modifier.persistent_uid if modifier is not None else 0
            if entry["identifier"] in self._by_artist.inputs.get((entry["object"], uid), set()):
                raise HostError(
                    "touched_by_artist",
                    f"An input of “{entry['modifier']}” was changed by hand while the run worked on it.",
                )

    @staticmethod
    def _marked() -> bool:
        return bpy.data.node_groups.get((MARK, None)) is not None

    def _drop_copies(self) -> None:
        for kept in self._copies.values():
            copy = bpy.data.node_groups.get(kept)
            if copy is not None:
                bpy.data.node_groups.remove(copy)
        self._copies.clear()

    # -- restoring
    # ----------------------------------------------------------------------------------------------------------

    def _covered(self, name: str) -> Any:
        """The tree that had this name when it was covered or made, whatever it is called now; None if it is gone."""
        uid = self._uids.get(name)
        tree = bpy.data.node_groups.get((name, None))
        if tree is not None and uid in (None, tree.session_uid):
            return tree
        return next((g for g in bpy.data.node_groups if g.session_uid == uid), None)

    def _covered_object(self, name: str) -> Any:
        uid = self._object_uids[name]
        obj = bpy.data.objects.get((name, None))
        if obj is not None and obj.session_uid == uid:
            return obj
        return next((o for o in bpy.data.objects if o.session_uid == uid), None)

    def _modifiers(self) -> set[tuple[str, int]]:
        """The modifiers of the covered objects, each as the object's name and its own ID, which no renaming changes."""
        objects = ((name, self._covered_object(name)) for name in self._objects)
        return {(name, m.persistent_uid) for name, obj in objects if obj is not None for m in obj.modifiers}

    def _note_created(self, present: set[str]) -> None:
        for tree in bpy.data.node_groups:
            if tree.name not in present:
                self._created.append(tree.name)
                self._uids[tree.name] = tree.session_uid

    def _note_written(self) -> None:
        """Records what the run leaves after a write, to know later what the artist changed since."""
        if self._checkpoint is not None:
            return
        for name in (*self._copies, *self._created):
            tree = self._covered(name)
            if tree is not None:
                self._written.trees[name] = _tree_state(tree)
        for name in self._objects:
            obj = self._covered_object(name)
            if obj is not None:
                self._written.objects[name] = {m.persistent_uid: _modifier_snapshot(m) for m in obj.modifiers}
                self._written.states[name] = object_state(obj)

    def _note_edits(self) -> None:
        """Records what is no longer as the run, or the file before it, left it: the artist changed it."""
        if self._checkpoint is not None:
            return
        found = self._by_artist
        for name in (*self._copies, *self._created):
            tree, then = self._covered(name), self._written.trees.get(name, self._state["trees"].get(name))
            now = _tree_state(tree) if tree is not None else None
            if tree is None or tree.name != name or then is not None and _unanimated(now) != _unanimated(then):
                found.others.add(name)
            if now is not None and then is not None and _content(now) != _content(then):
                found.trees.add(name)
        for name, kept in self._objects.items():
            obj, state = self._covered_object(name), self._written.states.get(name, self._state["objects"][name])
            if obj is None or obj.name != name or _unanimated(object_state(obj)) != _unanimated(state):
                found.others.add(name)
            known = self._written.objects.get(name) or {entry["uid"]: entry for entry in kept}
            for modifier in obj.modifiers if obj is not None else ():
                then, now = known.get(modifier.persistent_uid), _modifier_snapshot(modifier)
                if then is None:
                    continue
                if now["node_group"] != then["node_group"]:
                    group = modifier.node_group
                    uid = group.session_uid if group is not None else None
                    if uid is None or uid != self._uids.get(then["node_group"]):
                        found.groups.add((name, modifier.persistent_uid))
                # An input that is new was added to a tree by hand.
                keys = {key for key, value in now["inputs"].items() if then["inputs"].get(key, _GONE) != value}
                found.inputs.setdefault((name, modifier.persistent_uid), set()).update(keys)

    def _restore_tree(self, name: str, by_artist: bool) -> None:
        copy = bpy.data.node_groups.get(self._copies[name])
        if copy is None:
            return  # an undo in between removed it, and with it the changes of the run
        edited = self._covered(name)
        before = self._state["trees"][name]
        if edited is None:
            bpy.data.node_groups.remove(copy)  # the artist deleted the tree
            del self._copies[name]
            return
        if by_artist and self._written.trees.get(name, before)["ir"] == before["ir"]:
            copy.user_remap(edited)
            bpy.data.node_groups.remove(copy)  # all that differs is the artist's
            del self._copies[name]
            return
        present, kept = edited.name, self._executed.get(name) or id_state.keep(edited)
        edited.user_remap(copy)
        id_state.hand_over(edited, copy, kept)
        if by_artist:
            self._keep_aside(edited, present)
        else:
            bpy.data.node_groups.remove(edited)
        copy.name = present
        update(copy)

    def _keep_aside(self, tree: Any, name: str) -> None:
        """Keeps a tree that the artist edited while the run changed it, beside the restored one."""
        if ownership.MARK in tree:
            ownership.assign_to_artist(tree)
        if tree.asset_data is not None:
            tree.asset_clear()
        tree.name = f"{name} (edited)"
        tree.use_fake_user = True
        self.set_aside.append(tree.name)

    def _remove_new_modifiers(self) -> None:
        for name in self._objects:
            obj = self._covered_object(name)
            if obj is None:
                continue
            for modifier in [m for m in obj.modifiers if (name, m.persistent_uid) in self._new_modifiers]:
                obj.modifiers.remove(modifier)

    def _restore_modifiers(self, name: str, kept: list[dict[str, Any]]) -> None:
        obj = self._covered_object(name)
        if obj is None:
            return
        present = {m.persistent_uid: m for m in obj.modifiers}
        for entry in kept:
            modifier = present.get(entry["uid"])
            if modifier is None or modifier.type != "NODES":
                continue
            at = (name, entry["uid"])
            if at not in self._by_artist.groups:
                group = bpy.data.node_groups.get((entry["node_group"], None)) or bpy.data.node_groups.get(
                    entry["node_group"] or ""
                )
                if group is None and entry["node_group"] is not None:
                    group = modifier.node_group  # renamed by the artist
                modifier.node_group = group  # also if it is the same tree: makes the inputs follow the interface
            _restore_inputs(modifier, entry["inputs"], self._by_artist.inputs.get(at, set()))
        obj.update_tag()

    def _is_as_before(self) -> bool:
        others = self._by_artist.others
        trees = {
            name: _tree_state(tree)
            for name in self._state["trees"]
            if name not in others and (tree := bpy.data.node_groups.get((name, None))) is not None
        }
        objects = {
            name: object_state(obj)
            for name in self._state["objects"]
            if name not in others and (obj := bpy.data.objects.get((name, None))) is not None
        }
        before = {
            kind: {name: state for name, state in states.items() if name not in others}
            for kind, states in self._state.items()
        }
        created = {self._uids[name] for name in self._created}
        left = [g.name for g in bpy.data.node_groups if g.session_uid in created or g.name.startswith(KEEP_PREFIX)]
        left = [name for name in left if name not in self.set_aside]
        return not left and {"trees": trees, "objects": objects} == before


@dataclass
class _Written:
    """What a run left after its last write: states of trees and objects, and the inputs of their modifiers."""

    trees: dict[str, dict[str, Any]] = field(default_factory=dict)
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    objects: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)


@dataclass
class _Edited:
    """What the artist edited while the run was under way."""

    trees: set[str] = field(default_factory=set)
    """Trees whose content was edited."""
    others: set[str] = field(default_factory=set)
    """Trees and objects that were changed in any way."""
    groups: set[tuple[str, int]] = field(default_factory=set)
    """Modifiers, by object and own ID, that got another tree."""
    inputs: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    """The inputs of modifiers that were set."""


def _all_blocks() -> list[Any]:
    """Every data-block of the file, including those that Blender loads by itself, such as fonts."""
    collections = (p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION")
    return [block for name in collections for block in getattr(bpy.data, name) if isinstance(block, bpy.types.ID)]


# -- snapshots
# ------------------------------------------------------------------------------------------------------------------


def _tree_state(tree: Any) -> dict[str, Any]:
    """The state that must be equal after a restore: the IR, selection, active node, animation, users, and the state
    that every data-block has.
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


_ANIMATED = re.compile(r'^(?:nodes|modifiers)\["((?:[^"\\]|\\.)*)"\]')


def _unanimated(state: Any) -> Any:
    """A state of a tree or an object without the values of nodes and modifiers that drivers and actions set."""
    animation = state["animation"] if state is not None else None
    if not animation or not (animation["drivers"] or animation["action"]):
        return state
    paths = [_ANIMATED.match(driver[0]) for driver in animation["drivers"]]
    names = {path[1] for path in paths if path is not None}

    def masked(part: dict[str, Any]) -> dict[str, Any]:
        hide = animation["action"] is not None or part["name"] in names
        return {key: value for key, value in part.items() if key != "inputs" or not hide}

    if "ir" in state:
        return {**state, "ir": {**state["ir"], "nodes": [masked(node) for node in state["ir"]["nodes"]]}}
    return {**state, "modifiers": [masked(modifier) for modifier in state["modifiers"]]}


def _content(state: dict[str, Any]) -> dict[str, Any]:
    """What a tree consists of; a fake user is no part of it."""
    ir = _unanimated(state)["ir"]
    settings = {key: value for key, value in ir["settings"].items() if key != "use_fake_user"}
    return {**ir, "settings": settings}


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
    """The state of an object that a run may change: its modifiers with their inputs, and its animation."""
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
    out: dict[str, Any] = {"uid": modifier.persistent_uid, "node_group": None, "inputs": {}}
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
    """A custom property's value without references into Blender's memory; a data-block as its name."""
    if isinstance(value, bpy.types.ID):
        return values.to_json(value)
    return value.to_list() if hasattr(value, "to_list") else value.to_dict() if hasattr(value, "to_dict") else value


def _restore_inputs(modifier: Any, saved: dict[str, Any], by_artist: set[str]) -> None:
    """Writes the inputs back, except those that the artist set meanwhile."""
    if "properties" not in modifier.bl_rna.properties:
        for key in [k for k in modifier.keys() if k not in saved and k not in by_artist]:
            del modifier[key]
        for key, value in saved.items():
            if key not in by_artist and (key not in modifier or _plain(modifier[key]) != value):
                modifier[key] = values.from_json(value)
        return
    for identifier, (kind, attribute, value) in saved.items():
        if identifier in by_artist:
            continue
        entry = getattr(modifier.properties.inputs, identifier, None)
        if entry is None:
            continue
        if kind is not None and entry.type != kind:
            entry.type = kind
        if attribute is not None and entry.attribute_name != attribute:
            entry.attribute_name = attribute
        if hasattr(entry, "value") and values.to_json(entry.value) != value:
            values.assign(entry, "value", value)
