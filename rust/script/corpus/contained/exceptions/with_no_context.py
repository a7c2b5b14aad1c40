# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    pass
with A():
    pass
