# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from bpy_extras.io_utils import ImportHelper
