# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import numpy as np
np.zeros(3).ctypes.data
