# expect: imports
import weakref
