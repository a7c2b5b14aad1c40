# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
empty = np.array([o.location.z for o in bpy.data.objects if o.type == "ARMATURE"])
mean = np.mean(empty)
print("nothing" if np.isnan(mean) else mean)
print(np.nanmax(np.array([np.nan, np.nan])), np.var(empty))
values = np.array([300, 2]).astype(np.uint8) * np.uint8(200)
print(values.tolist())
