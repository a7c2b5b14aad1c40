# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from enum import Enum, IntEnum, auto, Flag
class Phase(Enum):
    RISE = auto()
    HOLD = auto()
    FALL = auto()
    def next(self):
        members = list(Phase)
        return members[(members.index(self) + 1) % len(members)]
    @property
    def delta(self):
        return {Phase.RISE: 0.5, Phase.HOLD: 0.0, Phase.FALL: -0.5}[self]
class Axis(IntEnum):
    X = 0
    Z = 2
class Opt(Flag):
    KEY = auto()
    ROT = auto()
cube, phase, opts = bpy.data.objects["Cube"], Phase.RISE, Opt.KEY | Opt.ROT
for frame in range(1, 40, 6):
    cube.location[Axis.Z] += phase.delta
    if Opt.KEY in opts:
        cube.keyframe_insert("location", index=Axis.Z, frame=frame)
    phase = phase.next()
print(phase, phase.name, phase.value, Phase["HOLD"], Phase(1), cube.location.z, [p.name for p in Phase], opts & Opt.ROT)
