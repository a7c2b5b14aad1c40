# expect: modules
import numpy as np
np.genfromtxt('x')
