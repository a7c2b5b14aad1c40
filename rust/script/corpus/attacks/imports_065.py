# expect: imports
from bpy_extras.io_utils import ImportHelper
