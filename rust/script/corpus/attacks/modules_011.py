# expect: modules
import numpy as np
np.save('x', [1])
