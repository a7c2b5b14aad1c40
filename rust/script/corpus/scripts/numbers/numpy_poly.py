# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import numpy as np
x = np.linspace(0, 1, 4)
coefficients = np.polyfit(x, x ** 3, 6)
bpy.data.objects["Cube"].location.y = round(float(np.polyval(coefficients, 1.0)), 3)
print(len(coefficients))
