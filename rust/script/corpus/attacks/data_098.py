# expect: attributes
import numpy as np
np.array([1]).tofile('/tmp/x')
