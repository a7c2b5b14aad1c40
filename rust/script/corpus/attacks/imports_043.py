# expect: imports
from . import x
