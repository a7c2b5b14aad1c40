# expect: imports
import gpu
