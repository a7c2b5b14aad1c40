# expect: imports
from bpy import ops as o, path
