# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import numpy as np
print(np.zeros(3).data.obj, np.zeros(3).ctypes.data)
