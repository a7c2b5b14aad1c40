# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
np.tril_indices(10**6)
