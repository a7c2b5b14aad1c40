# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from enum import Enum
E = Enum("E", "A B", module="os")
print(E.__module__)
