# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
import mathutils
class V(mathutils.Vector):
    pass
