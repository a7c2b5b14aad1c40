# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
np.linspace(0, 1, 10**10)
