# expect: imports
from numpy import memmap
