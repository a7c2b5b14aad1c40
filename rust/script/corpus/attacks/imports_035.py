# expect: imports
from bpy import app, msgbus
