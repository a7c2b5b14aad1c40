# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
n = 100000
np.random.randn(n, n)
