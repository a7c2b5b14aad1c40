# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a script's trial. Made by `cargo xtask schemas` from the types in `rust/script/src/record`: changes
belong there.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Record(TypedDict):
    """Everything that a script did to Blender, in its order."""

    # Version of the form.
    version: int
    # What operators and the context started from.
    situation: Situation
    # What was done.
    entries: list[Entry]
    # What the script printed.
    output: str


class Situation(TypedDict):
    """What operators and the context started from; a record fits no other."""

    # The scene.
    scene: str | None
    # Its view layer.
    view_layer: str | None
    # The active object.
    active: str | None
    # `bpy.context.mode`.
    mode: str
    # Selected objects, sorted.
    selected: list[str]


class Address(TypedDict):
    """Where something lies."""

    # `"data"`, `"context"`, `{"block": Block}`, or `{"result": n}`: what entry n, from 0, returned.
    root: Any
    # From there: the name of an attribute, or `{"item": key}`.
    path: list[Any]


class Block(TypedDict):
    """A data-block by name."""

    # The collection of `bpy.data`.
    kind: str
    # Its name.
    name: str
    # The file of its library.
    library: str | None


class MeshData(TypedDict):
    """The elements of a mesh, as Blender stores them."""

    # Three coordinates for each vertex.
    vertices: list[float]
    # Two vertices for each edge.
    edges: list[int]
    # The vertex of each corner of a face.
    corners: list[int]
    # The edge from each corner to the next.
    corner_edges: list[int]
    # The first corner of each face.
    faces: list[int]
    # Attributes in their order; those that the lists above hold have no values.
    attributes: list[MeshAttribute]
    # The active UV map.
    uv: str | None
    # The UV map for rendering.
    uv_render: str | None
    # The active color attribute.
    color: str | None
    # The color attribute for rendering.
    color_render: str | None


class MeshAttribute(TypedDict):
    """An attribute of a mesh."""

    # Its name.
    name: str
    # Its type, as Blender names it.
    type: str
    # `POINT`, `EDGE`, `FACE` or `CORNER`.
    domain: str
    # The values of all elements, one after the other.
    values: list[MeshValue]


class EntrySet(TypedDict):
    """`of.name = value`."""

    do: Literal["set"]
    # What has the attribute.
    of: Address
    # The attribute.
    name: str
    # Its value.
    value: Any
    # How the mesh numbered its elements, where one of them is meant.
    numbering: NotRequired[int | None]


class EntrySetItem(TypedDict):
    """`of[key] = value`."""

    do: Literal["set_item"]
    # What has the item.
    of: Address
    # Its key.
    key: Any
    # Its value.
    value: Any
    # How the mesh numbered its elements, where one of them is meant.
    numbering: NotRequired[int | None]


class EntryDeleteItem(TypedDict):
    """`del of[key]`."""

    do: Literal["delete_item"]
    # What has the item.
    of: Address
    # Its key.
    key: Any


class EntryCall(TypedDict):
    """`of.name(*args, **named)`."""

    do: Literal["call"]
    # What has the function.
    of: Address
    # The function.
    name: str
    # Arguments by place.
    args: list[Any]
    # Arguments by name.
    named: dict[str, Any]
    # It raised an exception.
    fails: NotRequired[bool]
    # The data-block that it returned.
    makes: NotRequired[Block | None]
    # How the mesh numbered its elements, where they are meant.
    numbering: NotRequired[int | None]


class EntryOperator(TypedDict):
    """An operator."""

    do: Literal["operator"]
    # Its name, such as `mesh.primitive_cube_add`.
    name: str
    # `EXEC_DEFAULT` and the like.
    context: str | None
    # Its arguments.
    named: dict[str, Any]
    # It raised an exception.
    fails: NotRequired[bool]


class EntryMesh(TypedDict):
    """A mesh was written from a `BMesh`."""

    do: Literal["mesh"]
    # The mesh.
    of: Address
    # All of its elements.
    mesh: MeshData


class EntryEnter(TypedDict):
    """The context that an earlier entry returned was entered."""

    do: Literal["enter"]
    # That context.
    of: Address


class EntryExit(TypedDict):
    """The context that was entered last was left."""

    do: Literal["exit"]
    # That context.
    of: Address


# One thing that was done.
Entry = EntrySet | EntrySetItem | EntryDeleteItem | EntryCall | EntryOperator | EntryMesh | EntryEnter | EntryExit


# A value of an attribute.
MeshValue = bool | float
