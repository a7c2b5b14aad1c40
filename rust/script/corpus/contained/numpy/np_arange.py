# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

n = 1e13
np.arange(n)
