# expect: imports
from os import system
