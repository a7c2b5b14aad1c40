# expect: modules
import numpy as np
x = np.linalg
