# expect: imports
import gc
