# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.data.libraries.write("/tmp/sx_pwned.blend", set(bpy.data.objects))
