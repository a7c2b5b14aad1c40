# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.context.object
for engine in ('BLENDER_EEVEE_NEXT', 'BLENDER_EEVEE'):
    try:
        bpy.context.scene.render.engine = engine
        break
    except TypeError as err:
        print("skipping:", type(err).__name__)
else:
    raise RuntimeError("no EEVEE here")
try:
    value = bpy.data.objects["Does not exist"]
except KeyError:
    value = None
finally:
    ob["checked"] = True
try:
    bpy.ops.object.mode_set(mode='NONSENSE')
except (TypeError, RuntimeError) as e:
    print("refused")
print(value, ob["checked"])
