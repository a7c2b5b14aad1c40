# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.arange(9_000_000.0)
(a[:, None] * a[None, :]).sum()
