# expect: modules
import numpy as np
np.fromfile('/etc/passwd')
