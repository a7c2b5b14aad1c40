# expect: modules
import numpy as np
np.lib.format
