# expect: imports
from string import Formatter
