# expect: imports
from operator import attrgetter
