# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import numpy as np
n = 10 ** 9
np.pad(np.zeros(3), n)
