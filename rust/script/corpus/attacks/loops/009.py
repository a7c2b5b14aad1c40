# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
for i in iter(int, 1):
    pass
