# expect: imports
from random import _os
