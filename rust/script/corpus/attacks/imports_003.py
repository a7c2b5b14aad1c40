# expect: imports
import sys
