# expect: imports
import this
import antigravity
