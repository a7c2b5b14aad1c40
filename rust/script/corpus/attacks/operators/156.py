# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.export_scene.gltf(filepath="/tmp/sx_pwned.glb")
