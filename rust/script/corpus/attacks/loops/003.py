# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
while 'a':
    x = 1
