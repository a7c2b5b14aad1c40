# expect: imports
import addon_utils
