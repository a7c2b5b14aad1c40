# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np

w = h = 256
y, x = np.mgrid[0:h, 0:w]
d = np.sqrt((x - w / 2) ** 2 + (y - h / 2) ** 2)
pixels = np.ones((h, w, 4), dtype=np.float32)
pixels[..., 0] = np.clip(1 - d / 128, 0, 1)
pixels[..., 1] = np.sin(d * 0.2) * 0.5 + 0.5
img = bpy.data.images.new("Rings", width=w, height=h)
img.pixels.foreach_set(pixels.ravel())
img.update()
