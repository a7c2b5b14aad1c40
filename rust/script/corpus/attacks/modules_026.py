# expect: modules
import bpy
bpy.msgbus.subscribe_rna()
