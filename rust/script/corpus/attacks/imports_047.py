# expect: imports
from math import *
