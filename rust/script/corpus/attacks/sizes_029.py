# expect: bounds
import numpy as np
np.zeros(10**10)
