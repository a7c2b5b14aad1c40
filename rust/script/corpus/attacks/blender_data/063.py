# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.data.collections[0].exporters[0].filepath
