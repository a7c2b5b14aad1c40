# expect: imports
from json import load
