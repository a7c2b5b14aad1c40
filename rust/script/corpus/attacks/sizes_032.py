# expect: bounds
import numpy as np
np.random.rand(100000, 100000)
