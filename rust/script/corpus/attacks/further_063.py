# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from operator import methodcaller
methodcaller("__reduce__")(1)
