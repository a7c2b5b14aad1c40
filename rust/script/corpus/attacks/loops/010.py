# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
while True:
    def f():
        return 1
