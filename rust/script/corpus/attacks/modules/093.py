# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import numpy as np
np.ctypeslib.load_library("libc", "/")
