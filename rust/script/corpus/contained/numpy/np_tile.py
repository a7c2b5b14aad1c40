# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

n = 10**5
np.tile(np.zeros((1000, 1000)), (n, 1))
