# SPDX-License-Identifier: GPL-3.0-or-later
"""Random real node trees, from what RNA offers in the Blender that runs: same seed, same tree."""

from __future__ import annotations

import random
from typing import Any

import bpy

TREE = "GeometryNodeTree"
# Not set at random: identity, positions and selection have their own steps; the rest is runtime or other classes'
# state.
_NOT_RANDOM = frozenset(
    {
        "name",
        "label",
        "location",
        "location_absolute",
        "width",
        "height",
        "parent",
        "select",
        "show_preview",
        "type",
        "link_limit",
        "enabled",
        "display_shape",
        "socket_type",
        "default_value",
        "tag",
        "use_fake_user",
        "use_extra_user",
        "annotation",
        "grease_pencil",
        "name_full",
        "active_item",
        "socket_idname",
        "identifier",
        "is_runtime_data",
        "asset_data",
        "is_active_output",
        "auto_remove",
    }
)
_WORDS = [
    "Höhe",
    "a.b.c",
    'quote " and \\ back',
    "line\nbreak",
    "日本語の名前",
    "@key",
    "=Name",
    "Item_3",
    "Geometry",
    "x" * 63,
    "é" * 31,
    "Math#2",
    "  spaced  ",
    "a/b~c",
    "Value.001",
    "Value",
    "{}",
    "🪨",
]
_kinds: list[str] = []
_types: list[str] = []
_ENDS = ("Input", "Output")


def make_blocks() -> None:
    """The data-blocks that random trees may refer to; the same in every file."""
    if "Ref Object" in bpy.data.objects:
        return
    mesh = bpy.data.meshes.new("Ref Mesh")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Ref Object", mesh))
    bpy.data.collections.new("Ref Collection")
    bpy.data.materials.new("Ref Material")
    bpy.data.images.new("Ref Image", 4, 4)
    bpy.data.texts.new("Ref Text")


def kinds() -> list[str]:
    """Every node type of geometry trees except frames and zone inputs, which have their own steps."""
    if not _kinds:
        tree = bpy.data.node_groups.new("Kinds", TREE)
        for name in sorted(dir(bpy.types)):
            found = getattr(bpy.types, name)
            if not (isinstance(found, type) and issubclass(found, bpy.types.Node)):
                continue
            try:
                node = tree.nodes.new(name)
            except RuntimeError:
                continue
            if name != "NodeFrame" and not hasattr(node, "pair_with_output"):
                _kinds.append(name)
        bpy.data.node_groups.remove(tree)
    return _kinds


def socket_types() -> list[str]:
    """Every socket type that an interface accepts."""
    if not _types:
        tree = bpy.data.node_groups.new("Types", TREE)
        for name in sorted(n for n in dir(bpy.types) if n.startswith("NodeSocket")):
            try:
                tree.interface.new_socket("x", in_out="INPUT", socket_type=name)
            except TypeError:
                continue
            _types.append(name)
        bpy.data.node_groups.remove(tree)
    return _types


class Maker:
    """Generates one random tree."""

    def __init__(self, seed: int, size: int = 25, depth: int = 0) -> None:
        self.draw = random.Random(f"{seed}/{depth}")
        self.seed, self.size, self.depth = seed, size, depth

    def make(self, name: str = "Random") -> Any:
        """The tree, in the current file."""
        make_blocks()
        inner = []
        if self.depth < 2:
            for number in range(self.draw.choice([0, 0, 1, 2])):
                maker = Maker(self.seed * 7 + number, self.size // 3 + 1, self.depth + 1)
                inner.append(maker.make(f"{name} {number}"))
        self.tree = bpy.data.node_groups.new(name, TREE)
        if self._chance(0.8):
            self._randomise(self.tree, 0.4)
        self._interface()
        self._nodes(inner)
        self._update()
        for node in list(self.tree.nodes):
            self._randomise(node, 0.35)
        self._update()
        for node in list(self.tree.nodes):
            self._lists(node)
        self._update()
        self._links()
        self._update()
        self._values()
        self._layout()
        self._update()
        return self.tree

    # -- steps

    def _update(self) -> None:
        self.tree.interface_update(bpy.context)

    def _chance(self, share: float) -> bool:
        return self.draw.random() < share

    def _word(self) -> str:
        return self.draw.choice(_WORDS) + self.draw.choice(["", "", f" {self.draw.randrange(9)}"])

    def _interface(self) -> None:
        interface, draw = self.tree.interface, self.draw
        for _ in range(draw.randrange(12)):
            turn = draw.random()
            items = list(interface.items_tree)
            try:
                if turn < 0.2:
                    interface.new_panel(self._word(), default_closed=self._chance(0.5))
                elif turn < 0.35 and items:
                    interface.remove(draw.choice(items), move_content_to_parent=self._chance(0.5))
                elif turn < 0.45 and items:
                    interface.move(draw.choice(items), draw.randrange(len(items)))
                else:
                    kind = draw.choice(socket_types())
                    inside = [i for i in interface.items_tree if i.item_type == "PANEL"]
                    interface.new_socket(
                        self._word(),
                        in_out=draw.choice(["INPUT", "INPUT", "OUTPUT"]),
                        socket_type=kind,
                        parent=draw.choice(inside) if inside and self._chance(0.4) else None,
                    )
            except (TypeError, RuntimeError):
                continue
        for _ in range(4):  # panels in panels
            inside = [i for i in interface.items_tree if i.item_type == "PANEL"]
            if inside:
                panel, target = draw.choice(inside), draw.choice(inside)
                if panel != target and not _holds(panel, target):
                    interface.move_to_parent(panel, target, 0)
        for index in range(len(interface.items_tree)):
            for name in ("dimensions", "subtype"):  # these replace the item
                item = interface.items_tree[index]
                if name in item.bl_rna.properties and self._chance(0.6):
                    self._shape(item, name)
            item = interface.items_tree[index]
            self._randomise(item, 0.3)
            item = interface.items_tree[index]
            if item.item_type == "SOCKET" and hasattr(item, "default_value") and self._chance(0.6):
                self._set(interface.items_tree[index], item.bl_rna.properties["default_value"])

    def _shape(self, item: Any, name: str) -> None:
        known = bpy.types.StringProperty if item.socket_type == "NodeSocketString" else bpy.types.FloatProperty
        subtypes = [s.identifier for s in known.bl_rna.properties["subtype"].enum_items_static]
        for _ in range(6):  # most subtypes are for other types
            try:
                setattr(item, name, self.draw.choice(subtypes) if name == "subtype" else self.draw.randint(2, 4))
                return
            except TypeError:
                continue

    def _nodes(self, inner: list[Any]) -> None:
        nodes, draw = self.tree.nodes, self.draw
        known = kinds()
        for number in range(self.size):
            # Consecutive seeds use all types in turn, plus some at random.
            kind = known[(self.seed * self.size + number) % len(known)] if self._chance(0.6) else draw.choice(known)
            if kind == "GeometryNodeClosureOutput" and bpy.app.version < (5, 0):
                continue
            node = nodes.new(kind)
            if kind.endswith("Output") and self._chance(0.9):
                self._pair(node)
        for group in inner:
            for _ in range(draw.randint(1, 2)):
                nodes.new("GeometryNodeGroup").node_tree = group
        for kind in ("NodeGroupInput", "NodeGroupOutput", "NodeReroute", "NodeGroupInput"):
            nodes.new(kind)
        for node in nodes:
            if self._chance(0.4):
                node.name = self._word()
            if self._chance(0.3):
                node.label = self._word()
            if self._chance(0.05):
                node["geonode_id"] = self._word()
        outputs = [n for n in nodes if n.bl_idname == "NodeGroupOutput"]
        draw.choice(outputs).is_active_output = True
        for node in list(nodes):
            if self._chance(0.06) and getattr(node, "pair_with_output", None) is None and not _is_end(self.tree, node):
                nodes.remove(node)

    def _pair(self, end: Any) -> None:
        kind = end.bl_idname.removesuffix("Output") + "Input"
        try:
            start = self.tree.nodes.new(kind)
        except RuntimeError:
            return
        if hasattr(start, "pair_with_output"):
            start.pair_with_output(end)
        else:
            self.tree.nodes.remove(start)

    def _randomise(self, owner: Any, share: float, depth: int = 0) -> None:
        for prop in list(owner.bl_rna.properties):
            name = prop.identifier
            if name in _NOT_RANDOM or name.startswith(("bl_", "active_", "location")) or name == "rna_type":
                continue
            if prop.type == "POINTER" and prop.is_readonly:
                inner = None if name in {"paired_output", "node_tree"} else getattr(owner, name)
                if inner is not None and depth < 3 and not isinstance(inner, bpy.types.ID | bpy.types.Node):
                    if inner.bl_rna.identifier in {"ColorRamp", "CurveMapping", "TexMapping", "ColorMapping"}:
                        self._randomise(inner, share, depth + 1)
            elif not prop.is_readonly and self._chance(share):
                self._set(owner, prop)

    def _set(self, owner: Any, prop: Any) -> None:
        """Sets a random legal value; a refusal by Blender is ignored."""
        draw, name = self.draw, prop.identifier
        try:
            now = getattr(owner, name)
            if prop.type == "ENUM":
                legal = [i.identifier for i in prop.enum_items] or [i.identifier for i in prop.enum_items_static]
                if legal:
                    value: Any = {draw.choice(legal)} if prop.is_enum_flag else draw.choice(legal)
                    setattr(owner, name, value)
            elif prop.type == "BOOLEAN":
                setattr(owner, name, [self._chance(0.5) for _ in now] if prop.is_array else self._chance(0.5))
            elif prop.type in {"INT", "FLOAT"}:
                low, high = max(prop.soft_min, -20), min(prop.soft_max, 20)
                one = (
                    (lambda: draw.randint(int(low), int(high)))
                    if prop.type == "INT"
                    else lambda: draw.uniform(low, high)
                )
                setattr(owner, name, _like(now, one) if prop.is_array else one())
            elif prop.type == "STRING":
                setattr(owner, name, self._word())
            elif prop.type == "POINTER" and name != "node_tree":
                setattr(owner, name, self._block(prop))
        except (TypeError, ValueError, AttributeError, RuntimeError):
            return

    def _block(self, prop: Any) -> Any:
        known = {
            "Object": bpy.data.objects,
            "Collection": bpy.data.collections,
            "Material": bpy.data.materials,
            "Image": bpy.data.images,
            "Text": bpy.data.texts,
        }.get(prop.fixed_type.identifier)
        return None if known is None or self._chance(0.2) else self.draw.choice(list(known))

    def _lists(self, node: Any) -> None:
        """Adds, removes, renames and moves items, so that their numbers get gaps."""
        for prop in node.bl_rna.properties:
            if prop.identifier in {"inputs", "outputs"} or prop.type != "COLLECTION" or prop.srna is None:
                continue
            if "new" in prop.srna.functions:
                collection = getattr(node, prop.identifier)
                for _ in range(self.draw.randrange(8)):
                    self._change_list(collection)
                for item in collection:
                    if "name" in item.bl_rna.properties and self._chance(0.3):
                        item.name = self._word()
                    if "socket_type" in item.bl_rna.properties and self._chance(0.3):
                        self._set(item, item.bl_rna.properties["socket_type"])
                    self._randomise(item, 0.4)
        for path in ("color_ramp", "mapping"):
            inner = getattr(node, path, None)
            if path == "color_ramp" and inner is not None:
                for _ in range(self.draw.randrange(4)):
                    inner.elements.new(self.draw.random()).color = [self.draw.random() for _ in range(4)]
                if self._chance(0.3):
                    inner.elements.remove(inner.elements[0])
            elif inner is not None and hasattr(inner, "curves"):
                for curve in inner.curves:
                    for _ in range(self.draw.randrange(4)):
                        point = curve.points.new(self.draw.random(), self.draw.random())
                        point.handle_type = self.draw.choice(["AUTO", "AUTO_CLAMPED", "VECTOR"])
                inner.update()

    def _change_list(self, collection: Any) -> None:
        draw, turn = self.draw, self.draw.random()
        parameters = [p for p in collection.bl_rna.functions["new"].parameters if not p.is_output]
        try:
            if turn < 0.55:
                arguments = []
                for parameter in parameters:
                    if parameter.type == "ENUM":
                        arguments.append(draw.choice([i.identifier for i in parameter.enum_items_static]))
                    elif parameter.type == "STRING":
                        arguments.append(self._word())
                collection.new(*arguments)
            elif turn < 0.75 and len(collection):
                collection.remove(draw.choice(list(collection)))
            elif turn < 0.95 and len(collection) > 1:
                collection.move(draw.randrange(len(collection)), draw.randrange(len(collection)))
            elif len(collection):
                collection.clear()
        except (TypeError, RuntimeError, ValueError):
            return

    def _links(self) -> None:
        draw, links = self.draw, self.tree.links
        nodes = [n for n in self.tree.nodes if n.bl_idname != "NodeFrame"]
        draw.shuffle(nodes)
        for _ in range(self.size * 3):
            first, second = sorted(draw.sample(range(len(nodes)), 2))
            outputs = [s for s in nodes[first].outputs if s.type != "CUSTOM" and (s.enabled or self._chance(0.1))]
            inputs = [s for s in nodes[second].inputs if s.type != "CUSTOM" and (s.enabled or self._chance(0.1))]
            if not outputs or not inputs:
                continue
            source = draw.choice(outputs)
            same = [s for s in inputs if s.type == source.type or s.is_multi_input]
            target = draw.choice(same) if same and self._chance(0.9) else draw.choice(inputs)
            link = links.new(target, source)
            if link is not None and self._chance(0.15):
                link.is_muted = True
        if bpy.app.version < (4, 5):  # what type they have is left to the next change that Blender notices
            for node in [n for n in nodes if n.bl_idname == "NodeReroute" and not n.inputs[0].is_linked]:
                if node.outputs[0].is_linked:
                    self.tree.nodes.remove(node)
        self._update()
        for node in [n for n in self.tree.nodes if n.bl_idname == "NodeReroute" and n.inputs[0].is_linked]:
            if node.inputs[0].links[0].from_socket.type != node.inputs[0].type:  # as above
                self.tree.nodes.remove(node)
        self._viewers()
        for link in list(links):
            if link.to_socket.is_multi_input and hasattr(link, "swap_multi_input_sort_id") and self._chance(0.5):
                rivals = [x for x in links if x.to_socket == link.to_socket]
                link.swap_multi_input_sort_id(draw.choice(rivals))

    def _viewers(self) -> None:
        """Sets `auto_remove` on linked viewer items only: the next update deletes unlinked ones with that property."""
        for node in self.tree.nodes:
            for item, socket in zip(getattr(node, "viewer_items", ()), list(node.inputs), strict=False):
                if hasattr(item, "auto_remove") and socket.is_linked:
                    item.auto_remove = True

    def _values(self) -> None:
        for node in self.tree.nodes:
            for socket in node.inputs:
                if "default_value" in socket.bl_rna.properties and self._chance(0.5):
                    self._set(socket, socket.bl_rna.properties["default_value"])
            for socket in [*node.inputs, *node.outputs]:
                for flag in ("hide", "hide_value", "show_expanded", "pin_gizmo"):
                    if hasattr(socket, flag) and self._chance(0.08) and (flag == "hide" or not socket.is_output):
                        setattr(socket, flag, not getattr(socket, flag))
            for socket in node.outputs:
                own = len(node.outputs) == 1 and not node.inputs
                if "default_value" in socket.bl_rna.properties and (own or self._chance(0.2)):
                    self._set(socket, socket.bl_rna.properties["default_value"])
            for panel in getattr(node, "panel_states", ()):
                panel.is_collapsed = self._chance(0.5)

    def _layout(self) -> None:
        draw, nodes = self.draw, self.tree.nodes
        frames: list[Any] = []
        for _ in range(draw.randrange(5)):
            frame = nodes.new("NodeFrame")
            self._randomise(frame, 0.5)
            frame.label = self._word()
            if frames and self._chance(0.6):
                frame.parent = draw.choice(frames)
            frames.append(frame)
        for node in nodes:
            if frames and node.bl_idname != "NodeFrame" and self._chance(0.5):
                node.parent = draw.choice(frames)
            node.location = (draw.uniform(-3000, 3000), draw.uniform(-2000, 2000))
            if self._chance(0.3):
                node.width = draw.uniform(60, 600)
            if self._chance(0.1):
                node.height = draw.uniform(60, 600)


def _like(now: Any, one: Any) -> Any:
    """A value of the shape of `now`, rows of matrices included."""
    return [_like(part, one) if hasattr(part, "__len__") else one() for part in now]


def _holds(panel: Any, inner: Any) -> bool:
    while inner is not None and inner.index >= 0:
        if inner == panel:
            return True
        inner = inner.parent
    return False


def _is_end(tree: Any, node: Any) -> bool:
    for other in tree.nodes:
        if hasattr(other, "pair_with_output") and other.bl_idname != "GeometryNodeClosureInput":
            if other.paired_output == node:
                return True
    return False
