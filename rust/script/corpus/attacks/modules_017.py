# expect: modules
import numpy as np
np.random.mtrand
