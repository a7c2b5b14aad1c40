# expect: attributes
from bpy import data
d = data
d.texts
