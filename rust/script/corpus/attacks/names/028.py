# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
@exec
class A:
    pass
