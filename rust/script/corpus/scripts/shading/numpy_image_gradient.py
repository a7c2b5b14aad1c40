# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np

w, h = 64, 32
img = bpy.data.images.new("Gradient", width=w, height=h, alpha=True, float_buffer=False)
y, x = np.mgrid[0:h, 0:w]
px = np.ones((h, w, 4), dtype=np.float32)
px[..., 0] = x / (w - 1)
px[..., 1] = y / (h - 1)
px[..., 2] = 0.5 + 0.5 * np.sin(x * 0.3)
img.pixels.foreach_set(px.ravel())
img.update()
print(tuple(round(c, 2) for c in img.pixels[:4]), len(img.pixels))
