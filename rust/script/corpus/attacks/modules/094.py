# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import numpy as np
f = np.frompyfunc(lambda x: x.__class__, 1, 1)
f(np.arange(3))
