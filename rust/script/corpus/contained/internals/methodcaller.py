# SPDX-License-Identifier: GPL-3.0-or-later
from operator import methodcaller
class A: pass
print(methodcaller("__reduce_ex__", 2)(A()))
