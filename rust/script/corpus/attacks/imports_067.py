# expect: imports
from numpy import f2py
