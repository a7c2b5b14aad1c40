# expect: modules
import numpy as np
np.loadtxt('x')
