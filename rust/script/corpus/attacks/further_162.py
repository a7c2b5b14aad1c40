# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
for n in ("real",):
    n = "__class__"
    print(getattr(1, n))
