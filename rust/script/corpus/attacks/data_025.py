# expect: attributes
import bpy
bpy.data.volumes.new('x').filepath = '/x'
