# expect: imports
import os
