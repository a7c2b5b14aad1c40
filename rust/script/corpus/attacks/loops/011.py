# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
while 2.5:
    pass
