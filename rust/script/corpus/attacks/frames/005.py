# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    None.x
except AttributeError as e:
    print(e.obj)
