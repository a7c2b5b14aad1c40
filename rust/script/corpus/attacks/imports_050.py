# expect: imports
from numpy import load
