# expect: imports
import types
