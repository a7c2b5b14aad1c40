# expect: attributes
import bpy
bpy.data.texts.new('x.py').write('import os')
