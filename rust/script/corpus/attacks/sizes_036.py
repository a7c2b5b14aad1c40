# expect: bounds
import numpy as np
np.eye(100000000)
