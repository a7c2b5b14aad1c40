# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
np.full((50000, 50000), 1.0)
