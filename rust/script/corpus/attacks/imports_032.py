# expect: imports
import bpy.utils
