# expect: imports
from bpy import *
