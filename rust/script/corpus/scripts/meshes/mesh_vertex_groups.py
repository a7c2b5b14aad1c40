# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.active_object
group = obj.vertex_groups.get("Top") or obj.vertex_groups.new(name="Top")
top = max(v.co.z for v in obj.data.vertices)
indices = [v.index for v in obj.data.vertices if v.co.z > top - 0.1]
group.add(indices, 1.0, 'REPLACE')
