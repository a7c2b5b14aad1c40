# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.zeros(1000000)
for i in range(60):
    a = np.concatenate([a, a])
