# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
n = 10 ** 11
np.linspace(0, 1, n)
