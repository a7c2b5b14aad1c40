# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    (1).foo
except AttributeError as e:
    print(e.obj)
