# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import numpy as np
    r = np.array([1.0]) / 0
print(r)
