# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

bpy.data.objects["Cube"].data.clear_geometry()
