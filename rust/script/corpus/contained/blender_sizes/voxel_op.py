# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

bpy.context.object.data.remesh_voxel_size = 0.0005
bpy.ops.object.voxel_remesh()
