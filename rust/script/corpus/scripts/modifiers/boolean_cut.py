# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.mesh.primitive_cube_add(size=2)
body = bpy.context.object
bpy.ops.mesh.primitive_cylinder_add(radius=0.5, depth=4)
tool = bpy.context.object
mod = body.modifiers.new("Cut", 'BOOLEAN')
mod.object = tool
mod.operation = 'DIFFERENCE'
bpy.context.view_layer.objects.active = body
bpy.ops.object.modifier_apply(modifier="Cut")
bpy.data.objects.remove(tool, do_unlink=True)
