# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import numpy as np
x = np.lib.stride_tricks.as_strided(np.zeros(1), shape=(10**6,), strides=(8,))
print(x.sum())
