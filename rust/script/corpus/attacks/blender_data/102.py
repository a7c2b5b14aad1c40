# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
driver = bpy.context.object.driver_add('scale', 0).driver
for n in ("expression",):
    setattr(driver, n, 'f()')
