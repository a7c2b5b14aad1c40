# expect: imports
from .. import api
