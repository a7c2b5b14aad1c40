# expect: imports
from bpy import props
