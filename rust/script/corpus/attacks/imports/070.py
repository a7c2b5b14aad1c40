# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from string import Formatter
def f(): pass
print(Formatter().get_field("0.__globals__", (f,), {}))
