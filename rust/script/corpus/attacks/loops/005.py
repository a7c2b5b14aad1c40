# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
while True:
    try:
        x = 1
    except Exception:
        continue
