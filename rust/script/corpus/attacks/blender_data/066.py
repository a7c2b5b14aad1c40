# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.data.screens[0].areas[0].spaces[0].params.directory
