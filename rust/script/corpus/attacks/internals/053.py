# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from collections.abc import Sequence
class A: pass
Sequence.register(A)
