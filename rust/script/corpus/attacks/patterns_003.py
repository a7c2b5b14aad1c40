# expect: attributes
import bpy
match bpy.context:
    case object(preferences=p):
        pass
