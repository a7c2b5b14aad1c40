# expect: attributes
import bpy
bpy.data.scenes[0].alembic_export('/x')
