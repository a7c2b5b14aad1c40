# expect: imports
import __main__
