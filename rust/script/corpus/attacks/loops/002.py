# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
while 1:
    x = 1
