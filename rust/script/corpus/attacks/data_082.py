# expect: attributes
from bpy import context as C
C.preferences
