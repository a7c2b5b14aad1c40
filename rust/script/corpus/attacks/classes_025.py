# expect: classes
import mathutils
class V(mathutils.Vector):
    pass
