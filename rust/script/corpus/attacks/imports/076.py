# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from bpy_extras.image_utils import load_image
load_image("/etc/passwd")
