# expect: modules
import bpy
bpy.props.StringProperty()
