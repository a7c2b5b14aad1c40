# expect: imports
from time import sleep
