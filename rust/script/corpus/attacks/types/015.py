# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
from bpy.types import Scene as S
print(S.bl_rna)
