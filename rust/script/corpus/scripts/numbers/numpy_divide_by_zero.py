# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
heights = np.array([0.0, 1.0, 2.0])
normalised = heights / heights[0]
normalised[~np.isfinite(normalised)] = 0.0
cube = bpy.data.objects["Cube"]
cube.location.z = float(normalised.sum())
logs = np.log(heights)
print(np.isneginf(logs[0]), logs[1])
