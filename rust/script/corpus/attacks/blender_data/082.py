# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
[d.texts for d in [bpy.data]]
