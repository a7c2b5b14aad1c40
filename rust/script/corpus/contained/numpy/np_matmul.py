# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.random.rand(3000, 3000)
for i in range(1000):
    a = a @ a / 1e3
