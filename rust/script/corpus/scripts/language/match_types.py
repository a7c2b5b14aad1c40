# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy


def describe(obj):
    match obj.type:
        case 'MESH':
            return f"{len(obj.data.polygons)} faces"
        case 'LIGHT' | 'LIGHT_PROBE':
            return f"{obj.data.energy} W"
        case 'CAMERA' if obj.data.type == 'ORTHO':
            return "orthographic"
        case _:
            return obj.type.lower()


for o in bpy.context.scene.objects:
    print(o.name, "-", describe(o))
