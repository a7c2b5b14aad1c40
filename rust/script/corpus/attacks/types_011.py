# expect: types
from bpy.types import Object
T = Object
