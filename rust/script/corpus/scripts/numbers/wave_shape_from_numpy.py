# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
t = np.linspace(0, 4 * np.pi, 60)
xyz = np.column_stack([np.cos(t) * (1 + t / 10), np.sin(t) * (1 + t / 10), t / 6])
cu = bpy.data.curves.new("Helix", "CURVE")
cu.dimensions = "3D"
sp = cu.splines.new("POLY")
sp.points.add(len(xyz) - 1)
sp.points.foreach_set("co", np.c_[xyz, np.ones(len(xyz))].ravel())
cu.bevel_depth = 0.03
bpy.context.collection.objects.link(bpy.data.objects.new("Helix", cu))
print(len(sp.points), np.round(xyz[-1], 3).tolist())
