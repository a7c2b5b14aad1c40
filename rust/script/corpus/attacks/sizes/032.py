# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
np.random.rand(100000, 100000)
