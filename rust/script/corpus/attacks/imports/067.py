# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from geonode_assistant import api
