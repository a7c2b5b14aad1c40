# expect: imports
from functools import singledispatch
