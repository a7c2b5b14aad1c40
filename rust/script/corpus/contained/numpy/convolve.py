# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
a = np.ones(10**7)
np.convolve(a, a)
