# expect: operators
import bpy
bpy.ops.extensions.package_install()
