# expect: bounds
import numpy as np
np.arange(10**12)
