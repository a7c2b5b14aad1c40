# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

rng = np.random.default_rng(0)
n = 10**10
rng.random(n)
