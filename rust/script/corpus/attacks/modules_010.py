# expect: modules
import numpy as np
np.load('x.npy')
