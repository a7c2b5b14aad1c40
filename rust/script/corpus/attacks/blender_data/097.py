# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import numpy as np
np.array([1]).setflags(write=True)
