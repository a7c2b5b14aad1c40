# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from bpy.types import Panel, PropertyGroup
