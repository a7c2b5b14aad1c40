# expect: imports
from bpy_extras import io_utils
