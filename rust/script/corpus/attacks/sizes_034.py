# expect: bounds
import numpy as np
np.linspace(0, 1, 10**10)
