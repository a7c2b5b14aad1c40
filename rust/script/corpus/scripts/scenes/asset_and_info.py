# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
print(bpy.app.version_string, bpy.app.version[:2], bpy.app.background)
for ob in bpy.context.scene.objects:
    print(f"{ob.name:15} {ob.type:8} users={ob.users} lib={ob.library} parent={ob.parent and ob.parent.name}")
cube = bpy.data.objects.get("Cube")
if cube:
    cube.asset_mark()
    if cube.asset_data:
        cube.asset_data.description = "A plain cube"
        cube.asset_data.tags.new("basic")
        cube.asset_data.author = "me"
    cube.asset_clear()
info = {c: len(getattr(bpy.data, c)) for c in dir(bpy.data) if c in {"objects", "meshes", "lights", "cameras", "scenes"}}
print(info)
for prop in bpy.types.Object.bl_rna.properties:
    if prop.identifier.startswith("show_"):
        print(prop.identifier, prop.type, sep=":", end=" ")
mod_types = bpy.types.Modifier.bl_rna.properties["type"].enum_items.keys()
print("SUBSURF" in mod_types)
