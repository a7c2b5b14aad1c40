# SPDX-License-Identifier: GPL-3.0-or-later
"""The transaction of a run: everything that it may change is saved when it begins, and is then either restored exactly
or kept as one undo step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import bpy

from . import (
    animation,
    apply,
    context,
    evaluate,
    id_state,
    interface,
    modifiers,
    new_objects,
    operators,
    ownership,
    readers,
    undo,
    values,
)
from .checkpoint import Checkpoint, to_object_mode
from .deferred_updates import update
from .documents import StepDelta, Tree, TreeDelta
from .errors import HostError
from .file_summary import inventory
from .meanwhile import Meanwhile
from .moves import Moves
from .snapshots import modifier_snapshot, object_state, restore_bakes, restore_inputs, tree_state
from .standing import Result

KEEP_PREFIX = f"{context.HIDDEN_PREFIX}_keep:"
MARK = f"{context.HIDDEN_PREFIX}_written"
"""Name of a node group that marks the file between two steps of a run whose transaction covers the whole file."""


_OWN_KEY = re.compile(r"@(k\d+|p\d+_\d+|geometry_in|geometry_out)")
"""Keys that the core gives to new interface items; all others stand in plans."""


class Transaction:
    """The state before a run, and how to restore it.

    A tree is saved as a real copy of the data-block, because only a copy preserves everything: identifiers and their
    counters, selection, folded panels, animation, drivers. The run edits the original, so that a committed run leaves
    every reference intact; a restore moves all users to the copy, which gets the original's name. Copies have no user
    and no fake user, so they are not saved even if Blender crashes. Everything is recorded by name, since an undo in
    between would invalidate references.
    """

    def __init__(
        self, objects: Iterable[str], trees: Iterable[str], whole: bool = False, announced: bool = False
    ) -> None:
        """Opens the transaction; with `whole` it covers the whole file. `announced`: the caller calls `pause` before
        others may edit the file; else they may between any two calls.

        Raises `unknown_object`, `library_data` for linked data, or `undo_unavailable`, and then leaves nothing behind.
        """
        if bpy.context.view_layer is not None:
            bpy.context.view_layer.update()  # drivers write now, not between the two comparisons
        self.before = evaluate.Before()
        undo.note_write()
        self._copies: dict[str, str] = {}
        # What Blender derives for those that are assets, by name.
        self._derived: dict[str, dict[str, Any]] = {}
        self._objects: dict[str, list[dict[str, Any]]] = {}
        self._state: dict[str, Any] = {"trees": {}, "objects": {}}
        self._created: list[str] = []
        self._new_modifiers: set[tuple[str, int]] = set()
        self._meanwhile = Meanwhile()
        self._moved = animation.Moved()
        self._pointed = readers.Pointed()
        self._added: dict[tuple[str, str], str] = {}  # new items of interfaces, by tree and key
        self._actions = animation.KeptActions()
        self._announced = announced
        self._executed: dict[str, dict[str, Any]] = {}  # what work of an executor left of what copies lack
        self.set_aside: list[str] = []
        """Trees that the artist edited while the run changed them, under the names by which they are kept."""
        self._copied: dict[str, str] = {}  # what is a copy is as much the artist's as the tree that it was copied from
        self._moves = Moves()
        self._fonts: list[str] = []
        self._made: list[int] = []
        self._new_objects: dict[str, int] = {}  # session IDs by name
        self._wrote = False
        self._open = True
        self._owned = ownership.StateBefore()
        self._groups = {g.name for g in bpy.data.node_groups}
        self._all = inventory() if whole else None
        self._checkpoint = Checkpoint() if whole else None
        try:
            self._cover(objects, trees)
            self._mark()
            self._unless_announced()
        except BaseException:
            self._forget()
            raise

    def extend(self, objects: Iterable[str], trees: Iterable[str]) -> None:
        """Covers more objects and trees; ignores those that are covered already or were made by this run.

        Raises `touched_by_artist` after an undo to before the transaction.
        """
        self._check_untouched()
        self._cover(objects, trees)
        self._unless_announced()

    def _cover(self, objects: Iterable[str], trees: Iterable[str]) -> None:
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
                ours = user.name in self._created or user.name.startswith(KEEP_PREFIX)
                if user.library is None and not ours:
                    wanted[user.name] = user
            users += [modifier.id_data for modifier in modifiers.users_of(tree)]
        self.before.note_links(tree for name, tree in wanted.items() if name not in self._copies)
        self._keep_trees([tree for name, tree in wanted.items() if name not in self._copies])
        for obj in users:
            self._keep_object(obj)
        for name in dict.fromkeys(objects):
            obj = modifiers.editable(modifiers.object_named(name))
            if obj.session_uid in self._new_objects.values():
                continue  # goes as a whole
            if not self._wrote:
                self.before.note_result(obj)
            self._keep_object(obj)

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

    def pause(self) -> None:
        """Others may edit the file from now on, until the next call."""
        if self._checkpoint is None and self._open:
            self._meanwhile.pause()

    def note_read(self, exported: Mapping[str, Tree]) -> None:
        """Takes over trees that were exported since the last call."""
        if self._checkpoint is None and self._announced:
            self._meanwhile.note_read(exported)

    def left(self) -> dict[str, Tree]:
        """The trees as the run left them before others could edit the file, by their present names. What others edited
        since is theirs, and is not judged.
        """
        if self._checkpoint is not None:
            return {}
        known = self._meanwhile.left().items()
        return {name: ir for name, ir in known if (tree := self._covered(name)) is not None and tree.name == name}

    def apply(self, delta: StepDelta) -> dict[str, int]:
        """Calls `apply_delta` and records which data-blocks it creates."""
        self._check_untouched()
        reached = self._meanwhile.reach(delta)
        self._compare(*reached)
        self._check_unedited(delta)
        self._copied |= {tree["tree"]: source for tree in delta.get("trees", ()) if (source := tree.get("copy_of"))}
        names = self._meanwhile.names_of if self._checkpoint is None else None
        with self._writing(*reached, {made["name"] for made in delta.get("objects", ())}):
            self._wrote |= _writes(delta)
            done = apply.apply_delta(_unmarked(delta), names, self._moved, self._added, self._pointed)
        self._moves.note(delta.get("trees", ()))
        self._wrote |= any(done.values())
        return done

    def execute(self, work: Callable[[], Any]) -> Any:
        """Calls `work` of an executor and records which data-blocks it creates."""
        self._check_untouched()
        everything = self._meanwhile.everything()
        self._compare(*everything)
        if self._checkpoint is None:
            self._actions.keep(
                [tree for name in self._copies if (tree := self._covered(name)) is not None], KEEP_PREFIX
            )
        self._wrote = True
        present = {block.session_uid for block in _all_blocks()}
        lacking = {name: id_state.keep(tree) for name in self._copies if (tree := self._covered(name)) is not None}
        with self._writing(*everything):
            try:
                return work()
            finally:
                self._actions.note_changed()
                self._made += [block.session_uid for block in _all_blocks() if block.session_uid not in present]
                for name, before in lacking.items():
                    tree = self._covered(name)
                    if tree is not None and repr(id_state.keep(tree)) != repr(before):
                        self._executed.setdefault(name, before)

    @contextmanager
    def _writing(self, trees: set[str], objects: set[str], new: Collection[str] = ()) -> Iterator[None]:
        """Records what a write to these makes, even if it fails; ``new``: objects of these names that are not there."""
        groups = {g.name for g in bpy.data.node_groups}
        fonts = {f.name for f in bpy.data.fonts}
        materials = {m.session_uid for m in bpy.data.materials}
        new = [name for name in new if bpy.data.objects.get((name, None)) is None]
        known = self._modifiers()
        try:
            yield
        finally:
            self._note_created(groups)
            self._note_objects(new)
            self._new_modifiers |= self._modifiers() - known
            self._fonts += [f.name for f in bpy.data.fonts if f.name not in fonts]
            self._made += [m.session_uid for m in bpy.data.materials if m.session_uid not in materials]
            if self._checkpoint is None:
                self._meanwhile.note_written(trees | self._pointed.names & self._copies.keys(), objects)
                self._unless_announced()

    def _compare(self, trees: Iterable[str], objects: Iterable[str]) -> None:
        if self._checkpoint is None:
            self._meanwhile.compare(trees, objects)

    def _unless_announced(self) -> None:
        if not self._announced:
            self.pause()

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
        self._wrote = True
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
        self._compare(*self._meanwhile.everything())
        by_artist = self._meanwhile.edited
        if self._undone():
            by_artist.others.update(self._state["trees"], self._state["objects"])
        self._pointed.undo()
        self._moved.undo()
        self._actions.restore(by_artist.actions)
        self._remove_new_modifiers()
        self._detach_animation(by_artist.trees)
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
        animation.revive_drivers(_all_blocks())
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

    def commit(self, message: str, words: str | None = None, run: str = "") -> Result | None:
        """Keeps the changes, as one undo step of that name if this Blender has an undo stack; returns what tells later
        whether they were undone. If nothing was written, there is no step, and None is returned.

        What was made is marked as made for these words, else for the message, by the run with this identifier.
        """
        if not self._open:
            raise HostError("internal_error", "This transaction is closed.")
        self._check_untouched()
        self._open = False
        names = [*self._state["trees"], *self._created]
        self._moved.drop([tree for name in names if (tree := self._covered(name)) is not None])
        self._drop_copies()
        self._unmark()
        if not self._wrote and self._checkpoint is None:
            return None
        self._mark_results(message if words is None else words, run)
        new_objects.select(self._new_objects.values())
        if self._checkpoint is not None:
            self._checkpoint.commit(message)
        elif operators.can(bpy.ops.ed.undo_push):
            bpy.ops.ed.undo_push(message=message)
            undo.note_step()
        made = [tree.name for name in self._created if (tree := self._covered(name)) is not None]
        before = self._state
        return Result(before["trees"], before["objects"], made, sorted(self._new_modifiers), self._all)

    def _mark_results(self, prompt: str, run: str) -> None:
        """Marks what the run created as the assistant's."""
        made = set(self._created)
        if self._checkpoint is not None:  # scripts create trees too
            made |= {g.name for g in bpy.data.node_groups} - self._groups
        now = {name: tree.name for name in made if (tree := self._covered(name)) is not None}
        names = {now.get(name, name) for name in made - self._copied.keys()}
        copies = {now.get(name, name): source for name, source in self._copied.items()}
        left = self._meanwhile.left() if self._checkpoint is None else {}
        sockets: dict[str, dict[str, str]] = {}
        for (tree, key), identifier in self._added.items():
            if not _OWN_KEY.fullmatch(key):
                sockets.setdefault(tree, {})[key] = identifier
        self._owned.mark_results(sorted(names), prompt, run, left, copies, sockets, self._moves)

    # -- keeping
    # ----------------------------------------------------------------------------------------------------------------

    def _keep_trees(self, trees: list[Any]) -> None:
        # Existing copies count as users of the groups they use now, but no longer when the states are compared.
        ours = Counter(values.block_name(group) for _, group in self._group_nodes_of_copies())
        for tree in trees:
            state = tree_state(tree)
            state["users"] -= ours[tree.name]
            self._state["trees"][tree.name] = state
            self._meanwhile.cover_tree(tree, state)
            self._owned.note(tree, state["ir"])
        if self._checkpoint is not None:
            # All of the file comes back; a script must not see the copies.
            self._copies.update({tree.name: "" for tree in trees})
            return
        for tree in trees:
            if tree.asset_data is not None:
                self._derived[tree.name] = id_state.derived(tree.asset_data)
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
        state = self._state["objects"][obj.name] = object_state(obj)
        snapshots = self._objects[obj.name] = [modifier_snapshot(m) for m in obj.modifiers]
        self._meanwhile.cover_object(obj, state, snapshots)

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
        """Raises `touched_by_artist` if an undo led back to before this transaction."""
        if self._checkpoint is not None and not self._marked():
            raise HostError("touched_by_artist", "The changes of the script were undone before the run had ended.")
        if self._undone():
            raise HostError("touched_by_artist", "An undo (Ctrl+Z) led back to before the run while it was under way.")

    def _undone(self) -> list[str]:
        """The trees whose copies are gone. Only an undo takes them away, and with them what was written later; without
        copies nothing could be restored.
        """
        if self._checkpoint is not None:
            return []
        return [name for name, kept in self._copies.items() if bpy.data.node_groups.get(kept) is None]

    def _check_unedited(self, delta: StepDelta) -> None:
        """Raises `touched_by_artist` if what a further write is about is no longer as the run left it."""
        edited = self._meanwhile.edited
        for name in [tree["tree"] for tree in delta.get("trees", ())]:
            if name in edited.trees or self._meanwhile.knows(name) and self._covered(name) is None:
                raise HostError("touched_by_artist", f"“{name}” was changed by hand while the run worked on it.")
        for entry in delta.get("modifier_inputs", ()):
            obj = bpy.data.objects.get((entry["object"], None))
            modifier = obj.modifiers.get(entry["modifier"]) if obj is not None else None
            uid = modifier.persistent_uid if modifier is not None else 0
            if entry["identifier"] in edited.inputs.get((entry["object"], uid), set()):
                raise HostError(
                    "touched_by_artist",
                    f"An input of “{entry['modifier']}” was changed by hand while the run worked on it.",
                )

    @staticmethod
    def _marked() -> bool:
        return bpy.data.node_groups.get((MARK, None)) is not None

    def _drop_copies(self) -> None:
        found: list[Any] = [bpy.data.node_groups.get(kept) for kept in self._copies.values()]
        copies = [copy for copy in found if copy is not None]
        for copy in copies:
            # Where a nested group goes, Blender 5.2 deletes the F-curves of its users, which share their actions.
            copy.animation_data_clear()
        bpy.data.batch_remove(copies)
        self._copies.clear()
        self._actions.drop()

    # -- restoring
    # ----------------------------------------------------------------------------------------------------------

    def _covered(self, name: str) -> Any:
        return self._meanwhile.tree(name)

    def _modifiers(self) -> set[tuple[str, int]]:
        """The modifiers of the covered and the new objects, each as the object's name and its own ID, which no renaming
        changes.
        """
        objects = [(name, self._meanwhile.object(name)) for name in self._objects]
        objects += [(name, bpy.data.objects.get((name, None))) for name in self._new_objects]
        return {(name, m.persistent_uid) for name, obj in objects if obj is not None for m in obj.modifiers}

    def _note_objects(self, names: Iterable[str]) -> None:
        """Records the objects of these names, which the run made, and their meshes."""
        for name in names:
            obj: Any = bpy.data.objects.get((name, None))
            if obj is not None:
                self._new_objects[name] = obj.session_uid
                self._made += [obj.session_uid, obj.data.session_uid]

    def _note_created(self, present: set[str]) -> None:
        for tree in bpy.data.node_groups:
            if tree.name not in present:
                self._created.append(tree.name)
                self._meanwhile.cover_new(tree)

    def _detach_animation(self, by_artist: set[str]) -> None:
        """Frees the actions from the trees that copies replace, since Blender changes F-curves with their sockets."""
        for name, kept in self._copies.items():
            copy = bpy.data.node_groups.get(kept)
            tree = self._covered(name) if copy is not None else None
            if tree is None:
                continue
            if name not in by_artist:
                tree.animation_data_clear()
            elif self._meanwhile.left().get(name) != self._state["trees"][name]["ir"]:
                animation.separate(tree, copy)

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
        if by_artist and self._meanwhile.left().get(name) == before["ir"]:
            copy.user_remap(edited)
            bpy.data.node_groups.remove(copy)  # all that differs is the artist's
            del self._copies[name]
            return
        present, kept = edited.name, self._executed.get(name) or id_state.keep(edited)
        edited.user_remap(copy)
        ownership.hand_over(edited, copy)
        id_state.hand_over(edited, copy, kept)
        if copy.asset_data is not None:
            id_state.restore_derived(copy.asset_data, self._derived.get(name, {}))
        id_state.hand_over_nodes(edited, copy)
        if by_artist:
            self._keep_aside(edited, present)
        else:
            bpy.data.node_groups.remove(edited)
        copy.name = present
        update(copy)

    def _keep_aside(self, tree: Any, name: str) -> None:
        """Keeps a tree that the artist edited while the run changed it, beside the restored one."""
        self._moved.drop([tree])
        if ownership.MARK in tree:
            ownership.assign_to_artist(tree)
        if tree.asset_data is not None:
            tree.asset_clear()
        tree.name = f"{name} (edited)"
        tree.use_fake_user = True
        self.set_aside.append(tree.name)

    def _remove_new_modifiers(self) -> None:
        for name in self._objects:
            obj = self._meanwhile.object(name)
            if obj is None:
                continue
            for modifier in [m for m in obj.modifiers if (name, m.persistent_uid) in self._new_modifiers]:
                obj.modifiers.remove(modifier)

    def _restore_modifiers(self, name: str, kept: list[dict[str, Any]]) -> None:
        obj = self._meanwhile.object(name)
        if obj is None:
            return
        by_artist = self._meanwhile.edited
        present = {m.persistent_uid: m for m in obj.modifiers}
        for entry in kept:
            modifier = present.get(entry["uid"])
            if modifier is None or modifier.type != "NODES":
                continue
            at = (name, entry["uid"])
            if at not in by_artist.groups:
                group = bpy.data.node_groups.get((entry["node_group"], None)) or bpy.data.node_groups.get(
                    entry["node_group"] or ""
                )
                if group is None and entry["node_group"] is not None:
                    group = modifier.node_group  # renamed by the artist
                modifier.node_group = group  # also if it is the same tree: makes the inputs follow the interface
            restore_inputs(modifier, entry["inputs"], by_artist.inputs.get(at, set()))
            restore_bakes(modifier, entry["bakes"])
        obj.update_tag()

    def _is_as_before(self) -> bool:
        others = self._meanwhile.edited.others | self._users_of_what_is_gone()
        trees = {
            name: tree_state(tree)
            for name in self._state["trees"]
            if name not in others and (tree := bpy.data.node_groups.get((name, None))) is not None
        }
        objects = {
            name: object_state(obj)
            for name in self._state["objects"]
            if name not in others and (obj := bpy.data.objects.get((name, None))) is not None
        }
        for name, count in self._uses_of_what_was_set_aside().items():
            if name in trees:
                trees[name]["users"] -= count
        before = {
            kind: {name: state for name, state in states.items() if name not in others}
            for kind, states in self._state.items()
        }
        created = {self._meanwhile.uid(name) for name in self._created}
        left = [g.name for g in bpy.data.node_groups if g.session_uid in created or g.name.startswith(KEEP_PREFIX)]
        left = [name for name in left if name not in self.set_aside]
        return not left and {"trees": trees, "objects": objects} == before

    def _users_of_what_is_gone(self) -> set[str]:
        """The trees with group nodes whose group the artist deleted or renamed."""
        users = set()
        for name, state in self._state["trees"].items():
            groups = [node["props"].get("node_tree") for node in state["ir"]["nodes"]]
            used = {group["node_group"] for group in groups if isinstance(group, dict) and "node_group" in group}
            if any(bpy.data.node_groups.get(group) is None for group in used):
                users.add(name)
        return users

    def _uses_of_what_was_set_aside(self) -> Counter[str]:
        """How often the trees that are kept beside restored ones use other trees."""
        found: list[Any] = [bpy.data.node_groups.get((name, None)) for name in self.set_aside]
        groups = [getattr(node, "node_tree", None) for tree in found if tree is not None for node in tree.nodes]
        return Counter(values.block_name(group) for group in groups if group is not None)


def _writes(delta: StepDelta) -> bool:
    """Whether a step changes anything: a tree that stays has its name and the nodes that are named already."""
    kept = ("tree", "stamp")
    trees = any(any(value for key, value in edit.items() if key not in kept) for edit in delta.get("trees", ()))
    materials = any(bpy.data.materials.get((made["name"], None)) is None for made in delta.get("materials", ()))
    return trees or materials or bool(delta.get("objects") or delta.get("modifiers") or delta.get("modifier_inputs"))


def _unmarked(delta: StepDelta) -> StepDelta:
    """The step without marks on nodes of trees in which it changes nothing else."""
    kept = ("tree", "stamp")

    def changes(edit: TreeDelta) -> bool:
        return any(value for key, value in edit.items() if key not in kept)

    trees = [edit if changes(edit) else cast("TreeDelta", {**edit, "stamp": []}) for edit in delta.get("trees", ())]
    return {**delta, "trees": trees} if trees else delta


def _all_blocks() -> list[Any]:
    """Every data-block of the file, including those that Blender loads by itself, such as fonts."""
    collections = (p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION")
    return [block for name in collections for block in getattr(bpy.data, name) if isinstance(block, bpy.types.ID)]
