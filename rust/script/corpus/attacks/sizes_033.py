# expect: bounds
import numpy as np
np.zeros(shape=(10**5, 10**5))
