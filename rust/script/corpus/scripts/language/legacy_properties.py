# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
scene = bpy.context.scene
done = []
for owner, name, value in (
    (scene.eevee, "use_bloom", True),
    (scene.eevee, "use_ssr", True),
    (scene.eevee, "use_gtao", True),
    (scene.eevee, "taa_render_samples", 32),
    (scene.cycles if hasattr(scene, "cycles") else None, "samples", 64),
):
    if owner is not None and hasattr(owner, name):
        setattr(owner, name, value)
        done.append(name)
print("taa_render_samples" in done)
