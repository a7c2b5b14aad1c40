# expect: operators
import bpy
bpy.ops.wm.alembic_export()
