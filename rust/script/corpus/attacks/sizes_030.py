# expect: bounds
import numpy as np
np.ones((10**5, 10**5))
