# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
class A:
    pass
with A():
    pass
