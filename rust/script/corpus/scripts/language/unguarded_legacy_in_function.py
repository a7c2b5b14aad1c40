# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

def setup_eevee(scene):
    eevee = scene.eevee
    if hasattr(eevee, "use_bloom"):
        eevee.use_bloom = True
        eevee.bloom_intensity = 0.05
    if getattr(eevee, "use_raytracing", None) is not None:
        eevee.use_raytracing = True
    return [n for n in ("use_bloom", "use_raytracing") if hasattr(eevee, n)]

print("use_raytracing" in setup_eevee(bpy.context.scene))
