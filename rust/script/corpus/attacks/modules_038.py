# expect: modules
import mathutils
mathutils.noise.sys
