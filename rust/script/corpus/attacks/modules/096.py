# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
bpy.utils.user_resource('DATAFILES', path="x", create=True)
