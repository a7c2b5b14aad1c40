# expect: imports
import _bpy
