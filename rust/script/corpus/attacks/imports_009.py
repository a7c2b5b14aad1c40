# expect: imports
import builtins
