# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import numpy as np
print(np.vectorize(print).pyfunc)
