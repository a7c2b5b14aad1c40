# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.ones((300, 300))
np.kron(np.kron(a, a), a)
