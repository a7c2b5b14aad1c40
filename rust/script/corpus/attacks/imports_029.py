# expect: imports
import traceback
