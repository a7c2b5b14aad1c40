# expect: calls
import bpy
bpy.data.x(filepath='/x')
