# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import logging
from types import SimpleNamespace

import bpy

logging.basicConfig(level=logging.ERROR)
log = logging.getLogger(__name__)
settings = SimpleNamespace(storeys=3, storey_height=1.5, roof_pitch=0.4)
for storey in range(settings.storeys):
    bpy.ops.mesh.primitive_cube_add(size=settings.storey_height, location=(0, 0, storey * settings.storey_height))
    log.info("storey %d of %d", storey + 1, settings.storeys)
settings.storeys += 1
print(settings.storeys, settings.roof_pitch)
