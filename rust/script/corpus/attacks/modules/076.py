# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
bpy.types.Scene.x = bpy.props.IntProperty(update=lambda s, c: None)
