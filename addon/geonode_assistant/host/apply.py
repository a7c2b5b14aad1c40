# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out a step's delta (FORMATS.md, "Delta") in the phases that Blender needs.

Within one suppressed phase the sockets of group nodes, of nodes with items and of zones are stale, so sockets are only
used in a phase after the one that changes them. A failure raises `HostError` naming the operation; the transaction
restores the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import bpy

from .. import native
from . import (
    animation,
    check_tree,
    defaults,
    handovers,
    identity,
    interface,
    items,
    materials,
    modifiers,
    new_objects,
    node_types,
    places,
    readers,
    renaming,
    reroutes,
    rna,
    values,
)
from .deferred_updates import Suppressor, suppression
from .documents import NodeAdd, Placed, StepDelta, TreeDelta
from .errors import HostError, near
from .lookup import Lookup, made_as, of_several
from .socket_flags import Flags, Parted

# Lists of a delta that change the structure of a tree, and those that change values.
_STRUCTURE = ("settings", "interface", "remove", "add", "stamp", "labels", "props", "pairs", "parents")
_CONTENT = ("unlink", "values", "links", "locations", "add")
# Lists that may remove sockets or give them other numbers.
_SOCKETS = ("interface", "remove", "props", "pairs", "items")
# What a small step consists of. Suppressed updates end each phase with one update of the tree; so many setters that
# update it themselves are cheaper, and stamps and labels update nothing.
_SMALL = frozenset({"tree", "create", "stamp", "labels", "values", "props", "unlink", "links"})
_FEW = 3
# Blender crashes when they are set while it believes a tree update to be running: set after all phases.
_PLAINLY = frozenset({"ui_shortcut"})

_PASSING = ".geonode_passing_"

Names = Callable[[str], Mapping[str, str] | None]


def apply_delta(
    delta: StepDelta,
    names: Names | None = None,
    moved: animation.Moved | None = None,
    added: dict[tuple[str, str], str] | None = None,
    pointed: readers.Pointed | None = None,
) -> dict[str, int]:
    """Applies one step and returns how often each operation was carried out, by the names of the delta's lists.

    `names` returns the node names by ID of a tree that has not been changed since it was exported, else None. What of
    the animation of removed nodes no node takes over waits in `moved`; without, it is removed. `added` gets the
    identifiers of new interface items, by tree and key.
    """
    kept = animation.Moved() if moved is None else moved
    counts: Counter[str] = Counter()
    keys: dict[tuple[str, str], str] = {}
    for material in delta.get("materials", []):
        counts["materials"] += materials.ensure(material)
    for made in delta.get("objects", []):
        new_objects.make(made)
        counts["objects"] += 1
    handover = handovers.Handover(delta, _SOCKETS)
    late_names: dict[str, list[tuple[str, str]]] = {}
    with suppression() as suppressor:
        for tree_delta in delta.get("trees", []):
            edit = TreeEdit(tree_delta, keys, counts, None if names is None else names(tree_delta["tree"]), kept)
            edit.run(suppressor)
            late_names[tree_delta["tree"]] = edit.late_names
        for edit_modifier in delta.get("modifiers", []):
            modifiers.ensure(edit_modifier)
            counts["modifiers"] += 1
        for entry in delta.get("modifier_inputs", []):
            obj = modifiers.editable(modifiers.object_named(entry["object"]))
            modifier = modifiers.modifier_named(obj, entry["modifier"])
            ref = entry["identifier"]
            tree = modifier.node_group
            modifiers.write_input(modifier, _interface_ref(tree, ref, keys, "INPUT"), entry["value"])
            counts["modifier_inputs"] += 1
    pointed = pointed if pointed is not None else readers.Pointed()
    handover.finish(pointed)
    for tree_delta in delta.get("trees", []):
        counts["names"] += renaming.rename_nodes(
            tree_delta["tree"], [*tree_delta.get("names", ()), *late_names[tree_delta["tree"]]], kept, pointed
        )
    if added is not None:
        added.update(keys)
    if moved is None:
        kept.drop([bpy.data.node_groups[tree_delta["tree"]] for tree_delta in delta.get("trees", [])])
    return dict(counts)


def _interface_ref(tree: Any, ref: str, keys: dict[tuple[str, str], str], in_out: str) -> str:
    """An interface socket's identifier from a SOCKET_REF."""
    if ref.startswith("@"):
        found = keys.get((tree.name if tree else "", ref))
        if found is None:
            raise HostError(
                "unknown_socket", f'No interface item "{ref}" was added to "{tree.name if tree else ""}" in this step.'
            )
        return found
    if ref.startswith("=") and tree is not None:
        name, number = of_several(ref[1:])
        sockets = (item for item in tree.interface.items_tree if item.item_type == "SOCKET" and item.in_out == in_out)
        alike = sorted((item.identifier for item in sockets if item.name == name), key=made_as)
        if number < len(alike):
            return str(alike[number])
    return ref


class TreeEdit(Lookup):
    """Carries out one tree's part of a step."""

    def __init__(
        self,
        delta: TreeDelta,
        keys: dict[tuple[str, str], str],
        counts: Counter[str],
        names: Mapping[str, str] | None = None,
        moved: animation.Moved | None = None,
        parted: Parted | None = None,
    ) -> None:
        """`parted`: what `props` would say of sockets; they have only what belongs to nodes then."""
        self.delta = delta
        self.counts = counts
        self._moved = moved if moved is not None else animation.Moved()
        super().__init__(self._open(delta["tree"]), delta["tree"], keys, names)
        self._lists: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._late_items: list[tuple[str, str, list[dict[str, Any]]]] = []
        self._late_props: list[Any] = []
        self._reroutes: dict[str, str] = {}
        self._menus: list[tuple[str, str, Any]] = []
        self._new_inputs: list[str] = []
        self._small = False
        props = delta.get("props", [])
        self._flags = None if parted is None else parted.flags
        self._whole = parted is not None  # every node of the tree is new, in the order of the lists
        self._socket_props = [entry for entry in props if _is_socket_prop(entry)] if parted is None else parted.rest
        unparted = parted is None and self._socket_props
        self._node_props = [entry for entry in props if not _is_socket_prop(entry)] if unparted else props
        self._keepers = self._keep_animation()
        self._removed: dict[str, str] = {}
        self.late_names: list[tuple[str, str]] = []
        """Names that new nodes get when the nodes that have them now have got others."""

    def _open(self, name: str) -> Any:
        present = bpy.data.node_groups.get((name, None)) or bpy.data.node_groups.get(name)
        if self.delta.get("create") or "copy_of" in self.delta:
            if present is not None and present.library is None:
                raise HostError("duplicate_id", f'There is already a node group "{name}".')
            check_tree.check_name("node group", name, check_tree.tree_name_bytes())
            self.counts["trees"] += 1
            source = self.delta.get("copy_of")
            return self._copy(source, name) if source is not None else self._new(name)
        if present is None:
            known = [g.name for g in bpy.data.node_groups if not g.name.startswith(".geonode")]
            raise HostError("unknown_node_group", f'This file has no node group "{name}". {near(name, known)}')
        if present.bl_idname != rna.TREE_TYPE:
            raise HostError("unknown_node_group", f'"{name}" is not a Geometry Nodes tree ({present.bl_idname}).')
        return modifiers.editable(present)

    def _new(self, name: str) -> Any:
        return bpy.data.node_groups.new(name, rna.TREE_TYPE)

    def _copy(self, source: str, name: str) -> Any:
        tree = values.resolve("node_group", source).copy()
        tree.name = name
        tree.use_fake_user = False
        animation.own_action(tree, self._moved)
        return tree

    def _keep_animation(self) -> list[animation.Keeper]:
        """Keepers of this tree's animation, and of that of users whose group nodes change with the interface; none if
        no socket can change.
        """
        if not any(self.delta.get(name) for name in _SOCKETS):
            return []
        is_new = self.delta.get("create") or "copy_of" in self.delta
        users = interface.user_nodes(self.tree) if self.delta.get("interface") and not is_new else []
        trees = {tree.name: tree for tree in (self.tree, *(node.id_data for node in users)) if tree.library is None}
        return [animation.Keeper(tree, self._moved) for tree in trees.values() if tree.animation_data is not None]

    # -- phases
    # -----------------------------------------------------------------------------------------------------------

    def run(self, suppressor: Suppressor) -> None:
        """Carries out all phases, with one real update after those that change sockets."""
        delta = self.delta
        self._small = self._is_small()
        if any(delta.get(name) for name in _STRUCTURE):
            node_types.learn(entry["type"] for entry in delta.get("add", []))
            self._suppressed(suppressor, self.edit_structure)
        self.edit_content(suppressor)

    def edit_structure(self) -> None:
        """The first phase. Its node types have to be known (`node_types.learn`), and an update has to follow it."""
        self._edit_settings()
        self._edit_interface()
        self._edit_nodes()
        self._edit_props()

    def edit_new_items(self) -> None:
        """The items of nodes that are all new, still in the first phase; their types have to be measured
        (`items.measure_new`).
        """
        self._collect_items()
        self._edit_items()

    def edit_content(self, suppressor: Suppressor, last: Callable[[], None] | None = None, settle: bool = True) -> None:
        """The phases after the first. `last` is called in the last of them, which needs no update for it unless
        `settle`.
        """
        delta = self.delta
        if delta.get("items") and not self._whole:
            self._collect_items()
            for node_id, lists in self._lists.items():
                items.measure(self.nodes[node_id], list(lists))
            self._suppressed(suppressor, self._edit_items)
        if any(delta.get(name) for name in _CONTENT) or self._socket_props or self._flags:
            self._suppressed(suppressor, self._edit_values, self._edit_places)
        if self._reroutes:
            reroutes.retype(self.tree, [(self.node(i, "set the type of"), kind) for i, kind in self._reroutes.items()])
            self.forget()
        menus = self._menu_defaults()
        if (
            menus
            or self._menus
            or self._late_items
            or self._late_props
            or delta.get("late_values")
            or delta.get("hide")
        ):
            self._suppressed(suppressor, self._edit_late, *([] if last is None else [last]))
        elif last is not None:
            suppressor.run(last, self.tree, settle)
        self._set_props([p for p in self._node_props if p[1] in _PLAINLY])
        self._copy_defaults_to_users(suppressor)
        self._settle_animation()

    def _settle_animation(self) -> None:
        """Lets keyframes and drivers follow their sockets, or go on at the nodes that take them over."""
        carried = self.delta.get("animation", [])
        own = [entry for entry in carried if entry.get("tree") is None and entry["from"] in self._removed]
        successors = {
            self._removed[entry["from"]]: (self.node(entry["to"], "animate").name, entry.get("inputs")) for entry in own
        }
        for keeper in self._keepers:
            keeper.settle(self.tree, set(self._removed.values()), successors)
        for name in dict.fromkeys(name for entry in carried if (name := entry.get("tree")) is not None):
            source = values.resolve("node_group", name)
            known = identity.index(source)
            entries = [entry for entry in carried if entry.get("tree") == name and entry["from"] in known]
            names = {known[entry["from"]].name: self.node(entry["to"], "animate").name for entry in entries}
            animation.hand_on(source, names, self.tree, self._moved)

    def _suppressed(self, suppressor: Suppressor, *phases: Callable[[], None]) -> None:
        """Carries out the phases that need no tree update between them."""

        def job() -> None:
            for phase in phases:
                phase()

        self.forget()
        if self._small:
            job()
        else:
            suppressor.run(job, self.tree)

    def _is_small(self) -> bool:
        delta = self.delta
        lists = (delta.get("values", ()), delta.get("props", ()), delta.get("unlink", ()), delta.get("links", ()))
        return sum(map(len, lists)) <= _FEW and not any(delta.get(name) for name in delta.keys() - _SMALL)

    def _collect_items(self) -> None:
        """The wanted item lists by node."""
        for node_id, path, wanted in self.delta.get("items", []):
            node = self.node(node_id, "set items of")
            try:
                rna.follow(node, path)
            except (AttributeError, IndexError, TypeError) as error:
                raise HostError(
                    "unknown_collection", f'Node "{node_id}" ({node.bl_idname}) has no items "{path}".'
                ) from error
            self._lists.setdefault(node_id, {})[path] = wanted

    def _edit_settings(self) -> None:
        for name, value in self.delta.get("settings", {}).items():
            try:
                values.assign(self.tree, name, value)
            except HostError as error:
                raise HostError(error.code, f'Set "{name}" of the node group "{self.name}": {error.message}') from error
            self.counts["settings"] += 1

    def _edit_interface(self) -> None:
        # Legal only for the first socket of a panel, hence when all are in their places.
        toggles: list[tuple[str, dict[str, Any]]] = []
        # Before Blender 4.5 a panel is found by its place among all, so none goes before the last edit.
        gone: list[Any] = []
        for op in self.delta.get("interface", []):
            if op["op"] == "add":
                parent = op.get("parent")
                props, late = _parted(op.get("props", {}))
                ref = interface.add(self.tree, {**op, "props": props}, self._panel(parent) if parent else None)
                toggles.append((ref, late))
                self.keys[self.name, op["key"]] = ref
                if op["kind"] == "socket" and op.get("in_out") == "INPUT":
                    self._new_inputs.append(ref)
            elif op["op"] == "change":
                ref = self._item(op["identifier"], op.get("in_out"))
                props, late = _parted(op.get("props", {}))
                interface.change(self.tree, ref, op.get("name"), props, menus=False)
                toggles.append((ref, late))
                if parent := op.get("parent"):
                    interface.put_into(self.tree, ref, self._panel(parent))
            elif op["op"] == "remove":
                ref = self._item(op["identifier"], op.get("in_out"))
                if ref.startswith("panel:") and not interface.panels_have_numbers():
                    with suppress(HostError):
                        gone.append(interface.find(self.tree, ref))
                else:
                    interface.remove(self.tree, ref)
            elif op["op"] == "order":
                panel = self._panel
                placed = [(self._placed(item), item.get("parent")) for item in op["items"]]
                interface.arrange(self.tree, [(ref, panel(parent) if parent else None) for ref, parent in placed])
            else:
                raise HostError("invalid_document", f'"{op["op"]}" is not an interface operation.')
            self.counts["interface"] += 1
        for ref, late in toggles:
            if late:
                interface.change(self.tree, ref, None, late)
        for item in gone:
            self.tree.interface.remove(item)

    def _panel(self, ref: str) -> str:
        """The identifier of a panel; after the step that made it, `=Name` stands for it."""
        known = self.keys.get((self.name, ref))
        return known or (interface.panel_named(self.tree, *of_several(ref[1:])) if ref.startswith("=") else ref)

    def _placed(self, item: Placed) -> str:
        side = item.get("in_out")
        ref = item["identifier"]
        return self._item(ref, side) if side or not ref.startswith("=") else self._panel(ref)

    def _item(self, ref: str, side: str | None) -> str:
        """The identifier of an item that the interface has; with its side, a name may stand for it."""
        return self.keys.get((self.name, ref)) or (_interface_ref(self.tree, ref, self.keys, side) if side else ref)

    def _edit_nodes(self) -> None:
        doomed = [node_id for node_id in self.delta.get("remove", []) if node_id in self.nodes]
        if doomed:
            self._refuse_half_zones(set(doomed))
        self._removed = {node_id: self.nodes[node_id].name for node_id in doomed} if self._keepers else {}
        for node_id in doomed:
            self.tree.nodes.remove(self.nodes.pop(node_id))
        self.counts["remove"] += len(doomed)
        self._add_nodes(self.delta.get("add", []))
        for node_id in self.delta.get("stamp", []):
            identity.stamp(self.node(node_id, "mark"), node_id)
        for node_id, label in self.delta.get("labels", []):
            self.node(node_id, "label").label = label or ""
        self.counts["labels"] += len(self.delta.get("labels", []))

    def _refuse_half_zones(self, doomed: set[str]) -> None:
        """Raises if only one end of a zone is removed: evaluating a zone without its input node crashes Blender 5.2."""
        for node_id, node in self.nodes.items():
            output = rna.paired_output(node)
            if output is None:
                continue
            other = next((i for i, n in self.nodes.items() if n == output), None)
            if (node_id in doomed) != (other in doomed):
                raise HostError(
                    "zone_incomplete",
                    f'Nodes "{node_id}" and "{other}" of "{self.name}" are one zone: remove both or neither.',
                )

    def _add_nodes(self, added: list[NodeAdd]) -> None:
        """Adds nodes. New ones get their final names at once, for Blender gives a default name and searches for a free
        number, which takes cubic time; a name that is itself a default comes last, since it starts that search.
        """
        late: list[tuple[Any, str]] = []
        leaving = {node.name for node_id, _ in self.delta.get("names", ()) if (node := self.nodes.get(node_id))}
        wanted_names = [entry.get("name") or _cut_name(entry["id"]) for entry in added]
        animation.lay_to_rest(self.tree, wanted_names, self._moved)
        for entry, wanted in zip(added, wanted_names, strict=True):
            node = self._add_node(entry)
            if wanted in leaving:
                self.late_names.append((entry["id"], wanted))
                continue
            if node.name == wanted:
                late.append((node, wanted))
                wanted = f"{_PASSING}{len(late)}"
            node.name = wanted
        for node, wanted in late:
            node.name = wanted

    def _add_node(self, entry: NodeAdd) -> Any:
        node_id, kind = entry["id"], entry["type"]
        if node_id in self.nodes:
            raise HostError("duplicate_id", f'Tree "{self.name}" already has a node "{node_id}".')
        try:
            node = self.tree.nodes.new(kind)
        except RuntimeError as error:
            raise HostError(
                "unknown_node_type",
                f'Add node "{node_id}" to "{self.name}": Blender '
                f"{bpy.app.version_string} has no node type {kind} for geometry.",
            ) from error
        if entry.get("stamp", True):
            identity.stamp(node, node_id)
        if entry.get("label"):
            node.label = entry["label"]
        self.nodes[node_id] = node
        self.counts["add"] += 1
        return node

    def _edit_props(self) -> None:
        for start, end in self.delta.get("pairs", []):
            node = self.node(start, "pair")
            try:
                paired = rna.pair(node, self.node(end, "pair"))
            except HostError as error:
                raise HostError(error.code, f'Pair "{start}" with "{end}" in "{self.name}": {error.message}') from error
            if not paired:
                raise HostError(
                    "zone_incomplete",
                    f'Pair "{start}" with "{end}" in "{self.name}": Blender refused; the two nodes must '
                    "be the input and output of one kind of zone, and the output still without an input.",
                )
            self.counts["pairs"] += 1
        self._set_props([p for p in self._node_props if p[1] not in _PLAINLY])
        for node_id, frame in self.delta.get("parents", []):
            self._set_parent(node_id, frame)
        self.counts["parents"] += len(self.delta.get("parents", []))

    def _set_parent(self, node_id: str, frame_id: str | None) -> None:
        node = self.node(node_id, "frame")
        frame = None if frame_id is None else self.node(frame_id, "frame")
        if frame is not None and frame.bl_idname != "NodeFrame":
            raise HostError(
                "invalid_value", f'"{frame_id}" in "{self.name}" is not a frame, so it cannot contain "{node_id}".'
            )
        outer = frame
        while outer is not None and outer != node:
            outer = outer.parent
        if outer is not None:
            raise HostError(
                "cycle",
                f'The frame "{node_id}" in "{self.name}" cannot be inside "{frame_id}": it contains it.',
            )
        node.parent = frame

    def _set_props(self, wanted: list[Any]) -> None:
        """Sets properties in order; those that are refused are retried at the end, since legal enum items
        depend on other properties.
        """
        waiting, reasons = list(wanted), dict[str, HostError]()
        last = {entry[0]: place for place, entry in enumerate(wanted)}
        while waiting:
            left: list[Any] = []
            for entry in waiting:
                try:
                    self._set_prop(*entry)
                except HostError as error:
                    reasons[f"{entry[0]}\0{entry[1]}"] = error
                    left.append(entry)
            if len(left) == len(waiting):
                raise reasons[f"{left[0][0]}\0{left[0][1]}"]
            waiting = left
        for place, (node_id, path, value) in enumerate(wanted):
            # A later one of the same node may have reset it; of outputs one is active in the whole tree.
            if not reasons and place == last[node_id] and path != "is_active_output":
                continue
            if not self._holds(node_id, path, value):
                self._set_prop(node_id, path, value)
        self.counts["props"] += len(wanted)

    def _owner(self, node_id: str, path: str) -> tuple[Any, str, str]:
        """What a path of a node leads to: its owner, its attribute, and the property's form."""
        node = self.node(node_id, f'set "{path}" of')
        holder, _, attribute = path.rpartition(".")
        try:
            owner = rna.follow(node, holder) if holder else node
        except (AttributeError, IndexError, TypeError) as error:
            raise HostError(
                "unknown_property", f'Node "{node_id}" ({node.bl_idname}) has no property "{path}".'
            ) from error
        form = values.form_of(owner, attribute)
        if form is None:
            raise HostError(
                "unknown_property",
                f'Node "{node_id}" ({node.bl_idname}) has no property "{path}". '
                + near(attribute, [p.identifier for p in rna.state_properties(owner)]),
            )
        return owner, attribute, form

    def _set_prop(self, node_id: str, path: str, value: Any, late: bool = False) -> None:
        if path == "socket_idname" and self.node(node_id, "set the type of").bl_idname == "NodeReroute":
            self._reroutes[node_id] = value
            return
        owner, attribute, form = self._owner(node_id, path)
        if form == "menu" and not late:
            self._late_props.append([node_id, path, value])
            return
        try:
            values.store(owner, attribute, value, form)
        except HostError as error:
            raise HostError(
                error.code, f'Set "{path}" of node "{node_id}" in "{self.name}": {error.message}'
            ) from error
        if attribute == "node_tree" and value is not None and owner.node_tree is None:
            raise HostError(
                "cycle", f'Node "{node_id}" in "{self.name}" cannot use {value!r}: a group cannot contain itself.'
            )

    def _holds(self, node_id: str, path: str, value: Any) -> bool:
        if node_id in self._reroutes and path == "socket_idname":
            return True  # set later
        owner, attribute, form = self._owner(node_id, path)
        if form == "menu":
            return True  # set later
        now = values.to_json(getattr(owner, attribute))
        return now == value or not isinstance(value, str | bool | int)

    def _edit_items(self) -> None:
        for node_id, lists in self._lists.items():
            node = self.node(node_id, "set items of")
            try:
                late = items.write_lists(node, lists, self._whole)
            except (HostError, RuntimeError, TypeError, AttributeError) as error:
                code = error.code if isinstance(error, HostError) else "invalid_value"
                raise HostError(
                    code, f'Set {", ".join(lists)} of node "{node_id}" in "{self.name}": {error}'
                ) from error
            self._late_items += [(node_id, path, lists[path]) for path in late]
            self.counts["items"] += len(lists)

    def _edit_values(self) -> None:
        self._unlink()
        flags = Flags(self, self._flags)
        for entry in self._socket_props:
            if not self._small and flags.take(entry):
                continue
            socket, attribute = self._socket_and_attribute(entry)
            # Links determine the legal values of reroutes' sockets and of menus.
            if isinstance(socket.node, bpy.types.NodeReroute) or attribute == "default_value" and rna.is_menu(socket):
                self._late_props.append(entry)
            else:
                values.assign(socket, attribute, entry[2])
        flags.write()
        find, is_menu = self.find, rna.is_menu
        for node_id, ref, value in self.delta.get("values", []):
            socket = find(node_id, "inputs", ref) or self.socket(node_id, "inputs", ref)
            if is_menu(socket):
                self._menus.append((node_id, ref, value))
            else:
                self._put_value(socket, node_id, value)
        make = self.tree.links.new
        for entry in self.delta.get("links", []):
            from_id, from_ref, to_id, to_ref = entry[:4]
            source = find(from_id, "outputs", from_ref) or self.socket(from_id, "outputs", from_ref)
            target = find(to_id, "inputs", to_ref) or self.socket(to_id, "inputs", to_ref)
            try:
                link = make(target, source)
            except RuntimeError as error:
                link, reason = None, str(error)
            else:
                reason = "Blender refused"
            if link is None:
                raise HostError(
                    "illegal_link", f'Link "{from_id}" {from_ref} to "{to_id}" {to_ref} in "{self.name}": {reason}'
                )
            if len(entry) > 4 and entry[4]:
                link.is_muted = True
        self.counts["links"] += len(self.delta.get("links", []))

    def _socket_and_attribute(self, entry: Any) -> tuple[Any, str]:
        side, _, rest = entry[1].partition(".")
        ref, _, attribute = rest.rpartition(".")
        return self.socket(entry[0], side, ref), attribute

    def _set_socket_prop(self, entry: Any) -> None:
        values.assign(*self._socket_and_attribute(entry), entry[2])

    def _unlink(self) -> None:
        doomed = self.delta.get("unlink", [])
        if not doomed:
            return
        id_of = {node.as_pointer(): node_id for node_id, node in self.nodes.items()}
        present = {
            (
                id_of.get(link.from_node.as_pointer()),
                link.from_socket.identifier,
                id_of.get(link.to_node.as_pointer()),
                link.to_socket.identifier,
            ): link
            for link in self.tree.links
        }
        for from_id, from_ref, to_id, to_ref in doomed:
            source, target = self.socket(from_id, "outputs", from_ref), self.socket(to_id, "inputs", to_ref)
            link = present.pop((from_id, source.identifier, to_id, target.identifier), None)
            if link is not None:
                self.tree.links.remove(link)
                self.counts["unlink"] += 1

    def _set_value(self, node_id: str, ref: str, value: Any) -> None:
        self._put_value(self.socket(node_id, "inputs", ref), node_id, value)

    def _put_value(self, socket: Any, node_id: str, value: Any) -> None:
        if rna.value_kind(socket) == "none":
            raise HostError(
                "invalid_value",
                f'Input "{socket.name}" of node "{node_id}" in "{self.name}" has no value of its own; link it.',
            )
        try:
            values.assign(socket, "default_value", value)
        except HostError as error:
            raise HostError(
                error.code, f'Input "{socket.name}" of node "{node_id}" in "{self.name}": {error.message}'
            ) from error
        self.counts["values"] += 1

    def _menu_defaults(self) -> list[tuple[str, Any]]:
        """The defaults of menus among the interface edits, as (identifier, value)."""
        found = []
        for op in self.delta.get("interface", []):
            if (op["op"] == "add" or op["op"] == "change") and "default_value" in op.get("props", {}):
                name = op["key"] if op["op"] == "add" else op["identifier"]
                ref = self.keys.get((self.name, name), name)
                if interface.is_menu(interface.find(self.tree, ref)):
                    found.append((ref, op["props"]["default_value"]))
        return found

    def _edit_late(self) -> None:
        for node_id, path, wanted in self._late_items:
            items.finish_items(self.node(node_id, "finish"), path, wanted)
        for entry in self._late_props:
            self._set_late_prop(entry)
        for ref, default in self._menu_defaults():
            interface.change(self.tree, ref, None, {"default_value": default})
        for node_id, ref, value in [*self._menus, *self.delta.get("late_values", [])]:
            self._set_value(node_id, ref, value)
        for node_id, ref, hidden in self.delta.get("hide", []):
            side = "inputs" if self.find(node_id, "inputs", ref) is not None else "outputs"
            self.socket(node_id, side, ref).hide = hidden
            self.counts["hide"] += 1

    def _set_late_prop(self, entry: Any) -> None:
        if not _is_socket_prop(entry):
            node_id, path, value = entry
            self._set_prop(node_id, path, value, late=True)
            return
        try:
            self._set_socket_prop(entry)
        except HostError:
            # A reroute's own value is never read; its type follows its links.
            if self.nodes[entry[0]].bl_idname != "NodeReroute":
                raise

    def _edit_places(self) -> None:
        for entry in self.delta.get("add", []):
            if entry.get("width") is not None:
                values.check_finite("width", entry["width"])
                self.nodes[entry["id"]].width = entry["width"]
        placed = self.delta.get("locations", [])
        for place in placed:
            values.check_finite("location", place[1:])
        if self._whole and [place[0] for place in placed] == list(self.nodes):
            places.put_all(self.tree, placed, dict(self.delta.get("parents", [])))
            self.counts["locations"] += len(placed)
            return
        wanted = {}
        for node_id, x, y in placed:
            wanted[self.node(node_id, "place").name] = (x, y)
        if wanted:
            places.put(self.tree, wanted)
            self.counts["locations"] += len(wanted)

    def _copy_defaults_to_users(self, suppressor: Suppressor) -> None:
        if self._new_inputs:
            defaults.copy_to_users(self.tree, self._new_inputs, suppressor)


def _parted(props: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The properties of an interface item without those that its place in a panel allows, and these."""
    late = {name: value for name, value in props.items() if name in interface.WITHIN_PANEL}
    return {name: value for name, value in props.items() if name not in late}, late


def _is_socket_prop(entry: Any) -> bool:
    """Whether a `props` entry belongs to a socket; these are set once the sockets exist."""
    return entry[1].startswith(("inputs.", "outputs."))


def _cut_name(text: str) -> str:
    """`text` cut to Blender's limit in bytes, between characters."""
    return text.encode()[: native.limits().name_bytes].decode(errors="ignore")
