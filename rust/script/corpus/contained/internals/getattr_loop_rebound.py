# SPDX-License-Identifier: GPL-3.0-or-later
for n in ("real",):
    n = "__class__"
    print(getattr(1, n))
