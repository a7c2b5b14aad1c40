# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.arange(1_000_000.0)
np.outer(a, a)
