# expect: types
from bpy.types import Object
Object.evil = 1
