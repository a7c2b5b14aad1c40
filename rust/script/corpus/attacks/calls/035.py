# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
class S(str):
    def __eq__(self, o): return True
    def __hash__(self): return 1
getattr(1, S("x"))
