# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, bmesh
bpy.ops.mesh.primitive_cube_add()
ob = bpy.context.object
me = ob.data
for name, col in zip(("Red", "Green", "Blue"), ((1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1))):
    m = bpy.data.materials.new(name)
    m.diffuse_color = col
    me.materials.append(m)
for p in me.polygons:
    n = p.normal
    p.material_index = max(range(3), key=lambda i: abs(n[i]))
bpy.ops.object.mode_set(mode='EDIT')
bm = bmesh.from_edit_mesh(me)
bm.faces.ensure_lookup_table()
for f in bm.faces:
    f.select_set(f.material_index == 2)
bm.select_flush_mode() if hasattr(bm, "select_flush_mode") else None
bmesh.update_edit_mesh(me)
bpy.ops.mesh.inset(thickness=0.2)
bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (0, 0, 0.5)})
bpy.ops.mesh.select_all(action='DESELECT')
bpy.ops.object.mode_set(mode='OBJECT')
ob.active_material_index = 0
print([p.material_index for p in me.polygons][:6])
