# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from importlib import import_module
