# SPDX-License-Identifier: GPL-3.0-or-later
from operator import methodcaller
import bpy
methodcaller("save")(bpy.data.images.new("a", 4, 4))
