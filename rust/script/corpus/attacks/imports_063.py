# expect: imports
from bpy.types import Operator
