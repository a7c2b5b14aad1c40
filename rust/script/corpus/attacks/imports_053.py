# expect: imports
from numpy.lib import format
