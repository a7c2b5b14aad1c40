# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
while True:
    for i in range(3):
        break
