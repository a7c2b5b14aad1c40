# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

a = np.ones((400, 400))
np.einsum("ij,kl,mn->ijklmn", a, a, a)
