# SPDX-License-Identifier: GPL-3.0-or-later
import re
class Text(str):
    pass
for pattern in ("(a|aa)+$", Text("((a*)*)*b"), "x" * 1000):
    list(map(re.compile, [pattern]))
