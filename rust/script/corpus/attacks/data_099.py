# expect: attributes
import numpy as np
np.array([1]).dump('/tmp/x')
