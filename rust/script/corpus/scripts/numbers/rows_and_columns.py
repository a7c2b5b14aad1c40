# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import numpy as np
columns = np.c_[np.arange(4), np.r_[1:5]]
print(columns.tolist(), np.r_[0:3, 10].tolist(), np.r_["0,2", [1, 2], [3, 4]].shape)
line = np.poly1d([1, -3, 2])
print(line(3), np.roots([1, -3, 2]).tolist(), len(line))
