# expect: imports
import os.path as p
