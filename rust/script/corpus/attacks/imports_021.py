# expect: imports
import inspect
