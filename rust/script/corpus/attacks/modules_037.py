# expect: modules
import bmesh
bmesh.types.x
