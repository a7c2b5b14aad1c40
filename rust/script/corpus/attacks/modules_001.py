# expect: modules
import bpy
x = bpy
