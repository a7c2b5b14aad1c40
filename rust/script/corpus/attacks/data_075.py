# expect: attributes
import bpy
bpy.data.objects.foo_bar_baz
