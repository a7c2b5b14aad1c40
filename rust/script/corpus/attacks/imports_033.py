# expect: imports
from bpy import utils
