# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.arange(100000)
np.meshgrid(a, a, a)
