# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
"""Builds a table with four legs."""
import bpy
import bmesh


def add_box(name: str, size: tuple, location: tuple) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    bm = bmesh.new()
    bmesh.ops.create_cube(bm, size=1.0)
    bmesh.ops.scale(bm, vec=size, verts=bm.verts)
    bm.to_mesh(mesh)
    bm.free()
    obj = bpy.data.objects.new(name, mesh)
    obj.location = location
    bpy.context.collection.objects.link(obj)
    return obj


def main():
    top = add_box("Top", (2.0, 1.0, 0.1), (0, 0, 1))
    for sx in (-1, 1):
        for sy in (-1, 1):
            leg = add_box("Leg", (0.1, 0.1, 1.0), (sx * 0.9, sy * 0.4, 0.5))
            leg.parent = top
            leg.matrix_parent_inverse = top.matrix_world.inverted()


if __name__ == "__main__":
    main()
