# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import sys
sys.modules["geonode_assistant"]
