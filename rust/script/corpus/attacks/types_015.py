# expect: types
from bpy.types import Scene as S
print(S.bl_rna)
