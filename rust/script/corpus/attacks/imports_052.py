# expect: imports
import numpy.ctypeslib
