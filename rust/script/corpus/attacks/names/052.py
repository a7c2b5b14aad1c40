# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
bpy.ops.mesh.primitive_cube_add()
