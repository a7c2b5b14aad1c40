# expect: imports
from bpy.types import Panel, PropertyGroup
