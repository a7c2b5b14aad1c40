# expect: modules
import numpy as np
np.memmap('/etc/passwd')
