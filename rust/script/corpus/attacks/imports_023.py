# expect: imports
import code
