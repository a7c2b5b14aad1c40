# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from enum import Enum
E = Enum("E", "a b", module="os")
print(E.a)
