# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from collections import namedtuple, defaultdict
from enum import Enum

Block = namedtuple("Block", "width depth height")


class Style(Enum):
    LOW = 1
    HIGH = 2


blocks = {Style.LOW: Block(2, 2, 1), Style.HIGH: Block(1, 1, 5)}
by_height = defaultdict(list)
for style, b in blocks.items():
    by_height[b.height].append(style.name)
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.dimensions = (b.width, b.depth, b.height)
print(dict(by_height))
