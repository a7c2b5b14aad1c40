# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

cube = bpy.data.objects["Cube"]
cube.modifiers.new("Smooth", "SUBSURF").levels = 2
graph = bpy.context.evaluated_depsgraph_get()
evaluated = graph.id_eval_get(cube)
cube["made"] = len(evaluated.data.vertices)
print(cube["made"], "vertices of", evaluated.name, graph.id_type_updated("OBJECT"))
