# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from contextlib import nullcontext
class A: pass
with nullcontext(dict) as A.__bases__:
    pass
