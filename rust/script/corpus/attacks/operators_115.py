# expect: operators
import bpy
bpy.ops.poselib.create_pose_asset()
