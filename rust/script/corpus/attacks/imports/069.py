# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from typing import ForwardRef
print(ForwardRef("__import__('os')")._evaluate({}, {}, frozenset()))
