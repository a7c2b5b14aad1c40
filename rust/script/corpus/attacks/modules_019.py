# expect: modules
import numpy as np
np.vectorize(1)
