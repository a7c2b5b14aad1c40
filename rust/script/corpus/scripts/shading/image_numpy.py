# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
w = h = 32
yy, xx = np.mgrid[0:h, 0:w] / 31.0
r = np.hypot(xx - 0.5, yy - 0.5)
buf = np.dstack([np.clip(1 - r * 2, 0, 1), xx, yy, np.ones_like(xx)]).astype(np.float32)
img = bpy.data.images.new("Radial", w, h, float_buffer=True)
img.colorspace_settings.name = "Non-Color"
img.pixels.foreach_set(buf.ravel())
back = np.empty(w * h * 4, dtype=np.float32)
img.pixels.foreach_get(back)
img.pack()
print(np.allclose(back, buf.ravel()), back.reshape(h, w, 4)[16, 16].round(2).tolist())
