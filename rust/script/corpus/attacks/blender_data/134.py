# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
c = bpy.context.scene.collection.children[0]
for e in c.exporters:
    e.export_properties.filepath = "/tmp/x"
