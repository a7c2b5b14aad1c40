# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.data.volumes.new('x').filepath = '/x'
