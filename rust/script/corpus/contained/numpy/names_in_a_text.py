# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.ones((2, 2))
print(np.r_["a"])
