# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses the border between Blender and the core (FORMATS.md). Made by `cargo xtask schemas` from the types in
`rust/graph/src/documents`: changes belong there.

Arrays with entries of different kinds are `list[Any]`, since Python knows no lists with a kind for each place.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Bundle(TypedDict):
    """Several trees that belong together: a root and the groups nested in it, each once."""

    # Version of the format, `IR_VERSION`.
    ir: int
    # Blender that wrote it, for example `[5, 2, 3]`.
    blender: list[int]
    # Name of the tree that was requested; `None` when several were.
    root: str | None
    # Every tree by name.
    trees: dict[str, Tree]


class Tree(TypedDict):
    """One node tree."""

    # Properties of the tree itself that differ from a new one.
    settings: dict[str, Any]
    # Sockets and panels, in the order in which they are shown.
    interface: list[Item]
    # Nodes in tree order.
    nodes: list[Node]
    # Links; those into one multi-input in the order of their `sort`.
    links: list[Link]
    # By path, what the tree and the sockets of its interface hold without any effect on the result: custom
    # properties; only documents for rebuilding have it.
    stored: NotRequired[dict[str, Any]]


class Item(TypedDict):
    """A socket or panel of a tree's interface."""

    # Socket or panel.
    kind: ItemKind
    # Blender's identifier; `panel:<uid>` for panels.
    identifier: str
    # Name in the interface.
    name: str
    # Direction; none for panels.
    in_out: NotRequired[Side | None]
    # Base RNA name, for example `NodeSocketFloat`; empty for panels.
    socket_type: NotRequired[str]
    # Identifier of the panel that contains it.
    parent: NotRequired[str | None]
    # Properties that differ from a new item: default, limits, subtype, description ….
    props: dict[str, Any]


class Node(TypedDict):
    """One node."""

    # Stable ID (stamp, else name).
    id: str
    # Name in Blender.
    name: str
    # `bl_idname`.
    type: str
    # Label that the artist sees instead of the name.
    label: NotRequired[str | None]
    # Place relative to the frame, in node-editor units.
    location: list[float]
    # Width where it differs from the type's.
    width: NotRequired[float | None]
    # ID of the frame that contains it.
    parent: NotRequired[str | None]
    # On the input node of a zone: ID of its output node.
    pair: NotRequired[str | None]
    # Properties that differ from a new node.
    props: dict[str, Any]
    # Dynamic items by collection.
    items: NotRequired[dict[str, list[dict[str, Any]]]]
    # Input sockets whose state differs from a new node.
    inputs: NotRequired[dict[str, dict[str, Any]]]
    # Output sockets whose state differs from a new node.
    outputs: NotRequired[dict[str, dict[str, Any]]]
    # By RNA path, what it holds without any effect on the result; only documents for rebuilding have it.
    stored: NotRequired[dict[str, Any]]


# One link, from an output to an input, each as (node ID, socket identifier).
Link = TypedDict(
    "Link",
    {
        # Source: an output.
        "from": list[str],
        # Target: an input.
        "to": list[str],
        # Muted by the artist.
        "muted": NotRequired[bool],
        # Order within a multi-input, as the links were made: Blender evaluates the one with the greatest number
        # first.
        "sort": NotRequired[int | None],
    },
)


class Context(TypedDict):
    """The snapshot of the scene that a prompt is read against."""

    # Version of Blender.
    blender: list[int]
    # Units of the scene.
    units: Units
    # Frames of the scene.
    frame: Frames
    # The active object.
    active_object: str | None
    # The selected objects.
    selection: list[str]
    # The run's target object.
    target_object: str | None
    # The run's target modifier.
    target_modifier: str | None
    # The run's target tree.
    target_node_group: str | None
    # Objects by name.
    objects: list[SceneObject]
    # How many objects the snapshot left out.
    cut: NotRequired[int | None]
    # How many of those are of each type.
    cut_kinds: NotRequired[dict[str, int] | None]
    # Collections.
    collections: list[Collection]
    # Names of the materials.
    materials: list[str]
    # Names of the images.
    images: list[str]
    # Node groups.
    node_groups: list[NodeGroup]
    # The target's tree with its nested groups.
    tree: NotRequired[Bundle | None]
    # The relevant nodes of that tree.
    tree_focus: NotRequired[TreeFocus | None]


class Units(TypedDict):
    """Units of the scene."""

    # `METRIC`, `IMPERIAL` or `NONE`.
    system: str
    # Metres per Blender unit.
    scale_length: float
    # Unit that lengths are shown in (`METERS`, `CENTIMETERS`, … or `ADAPTIVE`).
    length: str


class Frames(TypedDict):
    """Frames of the scene."""

    # First frame.
    start: int
    # Last frame.
    end: int
    # The frame that is shown.
    current: int


class SceneObject(TypedDict):
    """An object of the scene, with the data that planning needs."""

    # Its name, unique in the file.
    name: str
    # `MESH`, `CURVE`, ….
    type: str
    # World location, Blender units.
    location: list[float]
    # Own scale.
    scale: list[float]
    # Size of the evaluated bounds with the scale, Blender units.
    dimensions: list[float]
    # Local bounds.
    bounds: NotRequired[list[list[float]] | None]
    # Whether the artist sees it.
    visible: bool
    # Whether it is selected.
    selected: bool
    # Element counts.
    counts: NotRequired[ElementCounts | None]
    # Length of a curve's splines together, without modifiers, in its own space, Blender units.
    length: NotRequired[float | None]
    # What its modifiers make, of the objects that the prompt is probably about; not in Blender 4.2.
    result: NotRequired[ShownResult | None]
    # The modifier stack, first to last.
    modifiers: list[Modifier]


class ElementCounts(TypedDict):
    """Element counts, as far as the object's type has them."""

    # Vertices of a mesh.
    vertices: NotRequired[int | None]
    # Edges of a mesh.
    edges: NotRequired[int | None]
    # Faces of a mesh.
    faces: NotRequired[int | None]
    # Splines of a curve.
    splines: NotRequired[int | None]
    # Control points of a curve.
    points: NotRequired[int | None]


class ShownResult(TypedDict):
    """What the modifiers of an object make, as Blender evaluated it last."""

    # Vertices of the mesh.
    vertices: NotRequired[int | None]
    # Faces of the mesh.
    faces: NotRequired[int | None]
    # Curves.
    curves: NotRequired[int | None]
    # Points of the point cloud.
    points: NotRequired[int | None]
    # Instances, those within instances counted one by one.
    instances: NotRequired[int | None]
    # Local bounds with the instances.
    bounds: NotRequired[list[list[float]] | None]


class Modifier(TypedDict):
    """A modifier of an object."""

    # Name, unique on the object.
    name: str
    # RNA type; `NODES` for Geometry Nodes.
    type: str
    # Its node group; only Geometry Nodes modifiers have one.
    node_group: NotRequired[str | None]
    # Values of its inputs by name, of the target's, the active and the selected objects, in the context only.
    values: NotRequired[dict[str, Any] | None]
    # Values of its inputs by socket identifier; not in the context.
    inputs: NotRequired[dict[str, Any]]
    # Those values as a run left them; `None` where no run did.
    left: NotRequired[dict[str, Any] | None]
    # Identifiers of the inputs that keyframes or drivers set; not in the context.
    animated: NotRequired[list[str]]
    # The traces of runs in its tree, in the context only; `None` for a tree that the artist created.
    made: NotRequired[Made | None]
    # Whether its tree has a mark of a run that does not count: it was renamed, copied or appended. In the context
    # only.
    lapsed: NotRequired[bool]
    # The messages of its nodes, in evidence only; `None` where Blender has no such list (4.2).
    warnings: NotRequired[list[NodeWarning] | None]


class Made(TypedDict):
    """The traces that runs left in a tree."""

    # Whether the tree is exactly as the run left it; otherwise it was changed by hand, or the artist created it.
    as_left: bool
    # Digest of the prompt that it was created for.
    by: str
    # IDs of the nodes that runs created in it; not in the context.
    nodes: NotRequired[list[str]]
    # Identifiers of the inputs and outputs that plans called `@…` when they made them, by those names; not in the
    # context.
    sockets: NotRequired[dict[str, str]]
    # Identifier of the run that wrote the mark; not in the context.
    run: NotRequired[str]
    # The tree as runs left it, where it is another now; not in the context.
    left: NotRequired[Tree | None]
    # The present run made them, which may change them freely.
    this_run: NotRequired[bool]


class NodeWarning(TypedDict):
    """A message of a node from evaluation."""

    # `ERROR`, `WARNING` or `INFO`.
    type: str
    # The text of the message.
    message: str


class Collection(TypedDict):
    """A collection of the file."""

    # Its name.
    name: str
    # Names of its objects.
    objects: list[str]


class NodeGroup(TypedDict):
    """A node group of the file."""

    # Its name.
    name: str
    # How many data-blocks use it.
    users: int
    # Number of nodes.
    nodes: int


class TreeFocus(TypedDict):
    """The most relevant nodes of the target's tree, by ID."""

    # Selected in the editor.
    selected: list[str]
    # Created or named by a run.
    touched: list[str]


class Document(TypedDict):
    """Blender's answer to an `inspect`, limited to what a plan's targets need."""

    # Objects by name.
    objects: dict[str, Object]
    # Trees by name, nested groups included.
    trees: dict[str, Tree]
    # Users and origin of each tree.
    tree_info: dict[str, TreeInfo]
    # Names of all data-blocks, by kind (`object`, `collection`, …).
    names: dict[str, list[str]]
    # Hash of all of this, computed by the host: equal for equal state.
    fingerprint: str
    # Sizes of objects and collections.
    scene: Scene
    # What the materials look like whose names a plan gives to new ones: by name the values of their Principled
    # BSDF, as fields of `make_material`; nothing of one of which anything else is not as in a new one.
    materials: NotRequired[dict[str, dict[str, Any]]]


class Object(TypedDict):
    """An object that a plan may name: whether it may be edited, and its modifiers in stack order."""

    # RNA type, for example `MESH`.
    type: str
    # Linked from a library: not editable.
    library: bool
    # The stack.
    modifiers: list[Modifier]


class TreeInfo(TypedDict):
    """Further data about a tree."""

    # Users in the file.
    users: int
    # Linked from a library: not editable.
    library: bool
    # RNA type of the tree.
    type: str
    # The traces of runs in it; `None` for a tree that the artist created.
    made: NotRequired[Made | None]
    # What of its nodes is animated.
    animated: NotRequired[list[Animated]]


class Animated(TypedDict):
    """A value of a node that keyframes or a driver set, or that a driver of anything in the file reads."""

    # The node.
    node: str
    # Identifier of the input or output; `None` for a property of the node.
    socket: NotRequired[str | None]
    # Name of the socket, or the property.
    name: str
    # What sets or reads it.
    by: AnimatedBy
    # The data-block whose driver reads it.
    reader: NotRequired[str | None]


class Scene(TypedDict):
    """Objects and collections of the file as far as estimates need them; a missing object counts as a small mesh."""

    # Figures by object.
    objects: dict[str, Figures]
    # Names of the objects of each collection, those of its children included.
    collections: dict[str, list[str]]


class Figures(TypedDict):
    """An object's own data, before its modifiers."""

    # Vertices of a mesh.
    vertices: NotRequired[float]
    # Edges of a mesh.
    edges: NotRequired[float]
    # Faces of a mesh.
    faces: NotRequired[float]
    # Face corners of a mesh.
    corners: NotRequired[float | None]
    # Sum of its faces' areas, if it was measured.
    area: NotRequired[float | None]
    # Splines.
    splines: NotRequired[float]
    # Control points of splines, or points of a point cloud.
    points: NotRequired[float]
    # Extent along each axis, in its own space.
    size: NotRequired[list[float]]
    # What nodes of its modifiers warned of at the last evaluation, by modifier; of targets only, and not in Blender
    # 4.2.
    warnings: NotRequired[dict[str, list[str]]]
    # What Blender made of it with its modifiers, for a target whose last evaluation is known.
    evaluated: NotRequired[EvaluatedMesh | None]


class EvaluatedMesh(TypedDict):
    """The mesh at the end of a stack of modifiers."""

    # How many modifiers the stack has.
    modifiers: int
    # Vertices.
    vertices: float
    # Edges.
    edges: float
    # Faces.
    faces: float
    # Face corners.
    corners: float


class StepDelta(TypedDict):
    """The edits of one step."""

    # Step of the plan.
    step_id: str
    # Materials to make, before anything uses them.
    materials: NotRequired[list[MaterialEdit]]
    # Objects to make, before their modifiers.
    objects: NotRequired[list[ObjectEdit]]
    # Trees in the order in which they must be edited (a nested group before its users).
    trees: NotRequired[list[TreeDelta]]
    # Modifiers to create or to give a tree.
    modifiers: NotRequired[list[ModifierEdit]]
    # Values of modifier inputs.
    modifier_inputs: NotRequired[list[ModifierInput]]


class MaterialEdit(TypedDict):
    """A material to make; one that has these values already is left as it is."""

    # Name of the material.
    name: str
    # Red, green, blue, and alpha.
    base_color: NotRequired[list[float] | None]
    # Roughness.
    roughness: NotRequired[float | None]
    # Metallic.
    metallic: NotRequired[float | None]
    # How clear it is.
    transmission: NotRequired[float | None]
    # How opaque it is.
    alpha: NotRequired[float | None]
    # Red, green, blue, and alpha of its light.
    emission_color: NotRequired[list[float] | None]
    # Strength of its light.
    emission_strength: NotRequired[float | None]


class ObjectEdit(TypedDict):
    """A mesh object without geometry of its own to make in the active collection."""

    # Name of the object and its mesh.
    name: str
    # Where its origin is, in world space; at the 3D cursor if absent.
    location: NotRequired[list[float] | None]


class TreeDelta(TypedDict):
    """The edits of one tree, in the order of application."""

    # Name of the tree.
    tree: str
    # Whether it is new.
    create: bool
    # The tree that it is copied from; it is then new although `create` is false.
    copy_of: NotRequired[str | None]
    # Properties of the tree itself.
    settings: NotRequired[dict[str, Any]]
    # Interface, in order.
    interface: NotRequired[list[InterfaceEdit]]
    # Nodes to remove; always both ends of a zone.
    remove: NotRequired[list[str]]
    # New nodes.
    add: NotRequired[list[NodeAdd]]
    # Existing nodes on which the ID is stamped.
    stamp: NotRequired[list[str]]
    # Labels.
    labels: NotRequired[list[list[str]]]
    # Names of nodes that stay; their IDs stay too.
    names: NotRequired[list[list[str]]]
    # Properties, in order.
    props: NotRequired[list[list[Any]]]
    # Zones: input with output.
    pairs: NotRequired[list[list[str]]]
    # Complete lists of dynamic items.
    items: NotRequired[list[list[Any]]]
    # Frames.
    parents: NotRequired[list[list[Any]]]
    # Links to remove.
    unlink: NotRequired[list[list[str]]]
    # Values of unlinked or linked inputs.
    values: NotRequired[list[list[Any]]]
    # Links to add, in order.
    links: NotRequired[list[list[Any]]]
    # Menu values, which are valid only after the links exist.
    late_values: NotRequired[list[list[Any]]]
    # Sockets to hide or show, in a new tree that is built from its description.
    hide: NotRequired[list[list[Any]]]
    # Absolute locations of new nodes.
    locations: NotRequired[list[list[Any]]]
    # New nodes that come from other trees: they belong to whom they belonged there.
    moved: NotRequired[list[MovedNode]]
    # Keyframes and drivers that go on at another node; those of nodes that are removed are lost otherwise.
    animation: NotRequired[list[Carry]]


class Placed(TypedDict):
    """An interface item at its place."""

    # Which: identifier, `@key`, or `=Name`.
    identifier: str
    # Its side, where a name stands for the identifier of a socket.
    in_out: NotRequired[Side | None]
    # Panel that contains it.
    parent: NotRequired[str | None]


class NodeAdd(TypedDict):
    """A new node."""

    # Stable ID.
    id: str
    # `bl_idname`.
    type: str
    # Name in Blender; if absent, the ID, shortened if necessary.
    name: NotRequired[str | None]
    # Whether the ID is stamped on the node; normally true.
    stamp: NotRequired[bool | None]
    # Label.
    label: NotRequired[str | None]
    # Width.
    width: NotRequired[float | None]


# A node that comes from another tree as it was there.
MovedNode = TypedDict(
    "MovedNode",
    {
        # Its ID there.
        "from": str,
        # That tree.
        "tree": str,
        # Its ID in this tree.
        "to": str,
    },
)


# The animation of one node that another one takes over.
Carry = TypedDict(
    "Carry",
    {
        # The node whose animation it is.
        "from": str,
        # The tree of that node; if absent, this tree.
        "tree": NotRequired[str | None],
        # The node of this tree that takes it over.
        "to": str,
        # Inputs that take over, by identifier of the old one; if absent, all sockets under their own identifiers.
        "inputs": NotRequired[dict[str, str] | None],
    },
)


class ModifierEdit(TypedDict):
    """Create a modifier, or give an existing one its tree."""

    # Object that owns it.
    object: str
    # Name of the modifier.
    name: str
    # Whether it is new.
    create: bool
    # Tree that it runs.
    node_group: str


class ModifierInput(TypedDict):
    """One value of a modifier's input."""

    # Object.
    object: str
    # Modifier.
    modifier: str
    # Interface input.
    identifier: str
    # New value.
    value: Any


class Evidence(TypedDict):
    """Evaluated geometry, trees and lists of names after a run's writes."""

    # The objects that the run wrote.
    objects: list[EvaluatedObject]
    # The trees that the run wrote, as they are now.
    trees: dict[str, Tree]
    # Links that Blender marks invalid, by tree.
    invalid_links: dict[str, list[list[str]]]
    # Inputs, by tree, that Blender itself calls inactive as the nodes are set: (node, socket). Nothing before
    # Blender 4.5.
    inactive: dict[str, list[list[str]]]
    # Names at the start of the transaction.
    before: Names
    # What the objects showed before the run, as far as Blender had evaluated them.
    results_before: dict[str, ResultBefore]
    # Links that Blender marked invalid before the run, by tree.
    invalid_before: dict[str, list[list[str]]]
    # Names now.
    after: Names
    # Names of the attributes of any data in the file, or of the objects' evaluated geometry; `None` when there are
    # too many.
    attributes: list[str] | None


class EvaluatedObject(TypedDict):
    """An object that the run wrote, with its evaluated geometry."""

    # Its name.
    name: str
    # RNA type, for example `MESH`.
    type: str
    # Its stack.
    modifiers: list[Modifier]
    # Its evaluated geometry.
    evaluated: Evaluated
    # Names of the materials that anything in its result has; only where a written tree sets materials, and `None`
    # where that is not known.
    materials: NotRequired[list[str] | None]
    # Whether it shows what it showed before the run; false where that is not known.
    unchanged: bool


class Evaluated(TypedDict):
    """Evaluated geometry; an absent component is empty."""

    # Mesh.
    mesh: NotRequired[MeshCounts | None]
    # Curves.
    curves: NotRequired[CurveCounts | None]
    # Point cloud.
    pointcloud: NotRequired[PointCounts | None]
    # Volume.
    volume: NotRequired[VolumeCounts | None]
    # Grease pencil.
    greasepencil: NotRequired[LayerCounts | None]
    # Instances.
    instances: NotRequired[InstanceCounts | None]
    # Box around everything, instances included.
    bounds: list[list[float]] | None
    # All coordinates are finite.
    finite: bool
    # Evaluation time in milliseconds.
    ms: float


class MeshCounts(TypedDict):
    """Size of a mesh."""

    # Vertices.
    vertices: int
    # Edges.
    edges: int
    # Faces.
    faces: int


class CurveCounts(TypedDict):
    """Size of curves."""

    # Splines.
    curves: int
    # Control points.
    points: int


class PointCounts(TypedDict):
    """Size of a point cloud."""

    # Points.
    points: int


class VolumeCounts(TypedDict):
    """Size of a volume."""

    # Grids.
    grids: int


class LayerCounts(TypedDict):
    """Size of a grease pencil drawing."""

    # Layers.
    layers: int


class InstanceCounts(TypedDict):
    """Number of instances."""

    # Instances at the top.
    count: int
    # Those of them that are empty.
    empty: NotRequired[int]
    # Number of instances when nested instances are counted instead of the instances that contain them; 0 if unknown
    # or the same.
    nested: NotRequired[int]


class Names(TypedDict):
    """Names of modifiers and node groups in the file."""

    # Modifier names by object, in stack order.
    modifiers: dict[str, list[str]]
    # Node groups.
    node_groups: list[str]


class ResultBefore(TypedDict):
    """What was wrong with an object's result before the run."""

    # Whether it showed nothing.
    empty: bool
    # What it showed something of: `mesh`, `curves`, `pointcloud`, `volume`, `greasepencil`, `instances`.
    parts: list[str]
    # Whether all coordinates were finite, as far as it was small enough to be looked through.
    finite: bool
    # Errors that nodes of its modifiers reported, by modifier; not in Blender 4.2.
    errors: dict[str, list[str]]


# Whether an interface item is a socket or a panel.
ItemKind = Literal["socket", "panel"]


# Side of a group's interface, and of a node.
Side = Literal["INPUT", "OUTPUT"]


# What sets an animated value, or depends on it.
AnimatedBy = Literal["keyframes", "driver", "strip", "reader", "linked"]


class InterfaceEditAdd(TypedDict):
    """A new socket or panel, known as `key` within this delta."""

    op: Literal["add"]
    # `@…`
    key: str
    # Socket or panel.
    kind: ItemKind
    # Name.
    name: str
    # Direction of a socket.
    in_out: NotRequired[Side | None]
    # Base RNA name of a socket.
    socket_type: NotRequired[str]
    # Panel that contains it: identifier or `@key`.
    parent: NotRequired[str | None]
    # Position among the items of its panel, or of the tree; the last if absent.
    position: NotRequired[int | None]
    # Default, limits, subtype ….
    props: dict[str, Any]


class InterfaceEditChange(TypedDict):
    """Change in place."""

    op: Literal["change"]
    # Which.
    identifier: str
    # Its side, where a name stands for the identifier.
    in_out: NotRequired[Side | None]
    # New name.
    name: NotRequired[str | None]
    # Panel that contains it from now on, at its end: identifier or `@key`.
    parent: NotRequired[str | None]
    # Properties that change.
    props: dict[str, Any]


class InterfaceEditRemove(TypedDict):
    """Removal."""

    op: Literal["remove"]
    # Which.
    identifier: str
    # Its side, where a name stands for the identifier.
    in_out: NotRequired[Side | None]


class InterfaceEditOrder(TypedDict):
    """The order of all items, after the edits before it."""

    op: Literal["order"]
    # Every item, depth first.
    items: list[Placed]


# One change of a tree's interface.
InterfaceEdit = InterfaceEditAdd | InterfaceEditChange | InterfaceEditRemove | InterfaceEditOrder
