# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
import numpy as np
m = bpy.context.object.modifiers.new("s", 'SUBSURF')
m.levels = np.int32(11)
