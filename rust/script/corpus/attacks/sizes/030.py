# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
np.ones((10**5, 10**5))
