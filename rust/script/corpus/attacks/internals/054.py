# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from typing import Protocol
class P(Protocol):
    def f(self): ...
print(P._is_protocol)
